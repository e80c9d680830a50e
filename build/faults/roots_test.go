package faults_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestRepositoryVanishesUnderLoad moves the whole repository away while clients ask, puts an empty folder in its place, and brings
// it back, or copies it again, model by model. No request is lost, and a model that is changed after that is loaded.
func TestRepositoryVanishesUnderLoad(t *testing.T) {
	f := begin(t)
	const models = 8
	root := filepath.Join(t.TempDir(), "repository")
	aside := root + "-aside"
	for i := range models {
		write(t, root, fmt.Sprintf("m%d/1/model.onnx", i), adder(0))
	}
	s := serve(t, root, "--model-control-mode=poll", "--repository-poll-secs=1")
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	var answers atomic.Int64
	for i := range 4 {
		clients.Go(func() {
			for x := int32(i); ctx.Err() == nil && !t.Failed(); x++ {
				model := fmt.Sprintf("m%d", x%models)
				if _, err := s.add(context.WithoutCancel(ctx), model, x); err != nil {
					f.lose("a request to %s: %v\n%s", model, err, s.log.tail())
				}
				answers.Add(1)
			}
		})
	}
	for n := range f.rounds(2) {
		must(t, os.Rename(root, aside))
		s.untilLogged(t, n, "What was loaded from it keeps serving")
		must(t, os.Mkdir(root, 0o755))
		if n%2 == 0 {
			must(t, os.Remove(root))
			must(t, os.Rename(aside, root))
		} else { // made again, model by model
			for i := range models {
				must(t, os.Rename(filepath.Join(aside, fmt.Sprintf("m%d", i)), filepath.Join(root, fmt.Sprintf("m%d", i))))
				<-time.After(20 * time.Millisecond) // as a copy takes its time
			}
			must(t, os.Remove(aside))
		}
		s.untilLogged(t, n, "can be read again")
		write(t, aside, "model.onnx", adder(int32(n)))
		must(t, os.Rename(filepath.Join(aside, "model.onnx"), filepath.Join(root, "m0/1/model.onnx")))
		must(t, os.Remove(aside))
		for got := int32(-1); got != int32(n) && !t.Failed(); {
			var err error
			if got, err = s.add(t.Context(), "m0", 1); err != nil {
				f.lose("a request after the repository came back: %v", err)
			}
		}
		f.throw("repositories moved away", 1)
	}
	stop()
	clients.Wait()
	f.throw("requests", int(answers.Load()))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
