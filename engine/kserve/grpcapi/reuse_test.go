package grpcapi_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/kserve/kservetest"
)

// The tensors of a request keep their content until the model has answered, also when its client has gone, and while
// other requests use memory again. Each client gets its own answer.
func TestTensorsKeepTheirContentUntilTheAnswer(t *testing.T) {
	const size, clients, rounds = 40_000, 6, 30
	svc := kservetest.Identity()
	answer := svc.InferFunc
	svc.InferFunc = func(ctx context.Context, r *infer.Request, sink infer.Sink) error {
		data := r.Inputs[0].Data
		first := data[0]
		if first%3 == 0 {
			<-ctx.Done() // its client leaves
		}
		if bytes.Count(data, []byte{first}) != size {
			t.Errorf("the tensor of request %s has other content now", r.ID)
		}
		return answer(ctx, r, sink)
	}
	memory := budget.Of(256 << 20)
	c, _, _ := bounded(t, memory, 0, svc)
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for round := range rounds {
				req := sized(size)
				content := byte(client*rounds + round)
				req.Id = fmt.Sprint(content)
				req.RawInputContents[0] = bytes.Repeat([]byte{content}, size)
				ctx, cancel := context.WithTimeout(background(t), 10*time.Second)
				if content%3 == 0 {
					time.AfterFunc(3*time.Millisecond, cancel) // a client that leaves
				}
				got, err := c.ModelInfer(ctx, req)
				cancel()
				switch {
				case content%3 == 0 && status.Code(err) == codes.Canceled:
				case err != nil:
					t.Errorf("request %d: %v", content, err)
				case !bytes.Equal(got.RawOutputContents[0], req.RawInputContents[0]):
					t.Errorf("request %d gets another answer", content)
				}
			}
		})
	}
	all.Wait()
	emptied(t, "at the end", memory, 0)
}
