package serve_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"conch/engine/kserve/enginepb"
)

// The workbench's sums contain every answered request and no warm-up run, even when the model is reloaded in place,
// reloaded twice, or unloaded meanwhile.
func TestSamplesCountEveryAnswer(t *testing.T) {
	p := launch(t, nil, map[string]string{"a": "one"})
	p.dir.Write(t, "a/config.pbtxt", config+`model_warmup [{ name: "w" batch_size: 1 count: 3
		inputs { key: "IN" value { data_type: TYPE_FP32 dims: [2] zero_data: true } } }]`)
	p.dir.Look()
	client, stream := p.watch(t)
	server := until(t, stream, func(e *enginepb.Event) bool { return e.Server != nil && e.Server.Ready }).Server
	post := func(path, body string) int {
		reply, err := http.Post("http://"+server.HttpAddress+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0
		}
		_, _ = io.Copy(io.Discard, reply.Body)
		reply.Body.Close()
		return reply.StatusCode
	}
	ctx, stop := context.WithCancel(t.Context())
	var answered atomic.Uint64
	var clients sync.WaitGroup
	for range 3 {
		clients.Go(func() {
			for ctx.Err() == nil {
				if post("/v2/models/a/infer", `{"inputs":[{"name":"IN","shape":[2],"datatype":"FP32","data":[1,2]}]}`) == http.StatusOK {
					answered.Add(1)
				}
			}
		})
	}
	last := uint64(0)
	look := func() {
		sample, err := client.Sample(t.Context(), &enginepb.SampleRequest{})
		if err != nil || len(sample.Models) > 1 {
			t.Fatalf("sample = %v, %v", sample, err)
		}
		for _, m := range sample.Models {
			if m.Success < last {
				t.Errorf("the sum went back from %d to %d", last, m.Success)
			}
			last = m.Success
		}
	}
	for round := range 30 {
		for enough := answered.Load() + 20; answered.Load() < enough; {
			look()
		}
		for range 1 + round%2 {
			if _, err := client.ForceReload(t.Context(), &enginepb.ForceReloadRequest{Model: "a"}); err != nil {
				t.Fatal(err)
			}
		}
		if round%3 == 0 {
			if code := post("/v2/repository/models/a/unload", ""); code != http.StatusOK {
				t.Fatalf("unload: %d", code)
			}
			if code := post("/v2/repository/models/a/load", ""); code != http.StatusOK {
				t.Fatalf("load: %d", code)
			}
		}
	}
	stop()
	clients.Wait()
	if look(); last != answered.Load() {
		t.Errorf("the sums have %d requests, %d were answered", last, answered.Load())
	}
	p.stop(t)
}
