package faults_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"conch/engine/kserve/kservepb"
)

const chain = `platform: "ensemble"
max_batch_size: 8
input [{ name: "X" data_type: TYPE_INT32 dims: [1] }]
output [{ name: "SUM" data_type: TYPE_INT32 dims: [1] }, { name: "N" data_type: TYPE_INT32 dims: [1] }]
ensemble_scheduling { step [{ model_name: "m" model_version: -1 input_map { key: "X" value: "X" } output_map { key: "SUM" value: "SUM" } output_map { key: "N" value: "N" } }] }
`

// TestRepositoryChangesUnderLoad changes a model again and again, its file, its config, its version, while clients ask it
// and an ensemble over it. No request is lost; each is answered by one model, neither older than one that answered before
// it was sent nor newer than what was written.
func TestRepositoryChangesUnderLoad(t *testing.T) {
	f := begin(t)
	repository := t.TempDir()
	c := &changing{fault: f, repository: repository, version: 1}
	write(t, repository, "m/1/model.onnx", adder(0))
	write(t, repository, "m/config.pbtxt", c.config())
	write(t, repository, "e/config.pbtxt", []byte(chain))
	write(t, repository, "e/1/.keep", nil)
	c.server = serve(t, repository, "--model-control-mode=poll")
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for _, model := range []string{"m", "m", "e", "e"} {
		clients.Go(func() { c.client(ctx, t, model) })
	}
	for n := range f.rounds(20) {
		c.change(t, int32(n))
	}
	stop()
	clients.Wait()
	slices.Sort(c.took)
	f.throw("changes", len(c.took))
	f.throw("requests", int(c.answers.Load()))
	f.note("from the write to the new answer: median %v, longest %v",
		c.took[len(c.took)/2].Round(time.Millisecond), c.took[len(c.took)-1].Round(time.Millisecond))
}

// changing is a repository that changes.
type changing struct {
	*server
	*fault
	repository string
	version    int
	batch      int
	took       []time.Duration
	// written is what n the files have at most; served what n an answer had.
	written, served atomic.Int32
	answers         atomic.Int64
}

// config changes with each call.
func (c *changing) config() []byte {
	c.batch++
	return fmt.Appendf(nil, "backend: \"onnxruntime\"\nmax_batch_size: 8\ndynamic_batching { max_queue_delay_microseconds: %d }\n"+
		"version_policy { latest { num_versions: 1 } }\n", c.batch)
}

// client asks until the end.
func (c *changing) client(ctx context.Context, t *testing.T, model string) {
	for x := int32(0); ctx.Err() == nil && !t.Failed(); x++ {
		atLeast := c.served.Load()
		n, err := c.add(context.WithoutCancel(ctx), model, x)
		if err != nil {
			c.lose("a request to %s: %v\n%s", model, err, c.log.tail())
			return
		}
		if n < atLeast || n > c.written.Load() {
			t.Errorf("%s answers as change %d; %d answered before, %d is written", model, n, atLeast, c.written.Load())
			return
		}
		c.answers.Add(1)
	}
}

// change makes one change and waits until it is served.
func (c *changing) change(t *testing.T, n int32) {
	t.Helper()
	c.written.Store(n)
	begun := time.Now()
	before := c.version
	if n%10 == 0 { // a new version, complete when it appears
		c.version++
		c.put(t, n, fmt.Sprintf("m/%d", c.version))
	} else {
		c.put(t, n, fmt.Sprintf("m/%d/model.onnx", c.version))
	}
	if n%5 == 0 {
		c.move(t, c.config(), "m/config.pbtxt")
	}
	for {
		got, err := c.add(t.Context(), "m", 1)
		if err != nil {
			t.Fatalf("change %d: %v", n, err)
		}
		if got == n {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("change %d is not served; %d is\n%s", n, got, c.log.tail())
		}
	}
	c.served.Store(n)
	c.took = append(c.took, time.Since(begun))
	if before != c.version {
		if err := os.RemoveAll(filepath.Join(c.repository, "m", fmt.Sprint(before))); err != nil {
			t.Fatal(err)
		}
	}
}

// put moves a new model file, or a version's folder with one, to its place.
func (c *changing) put(t *testing.T, n int32, to string) {
	t.Helper()
	if filepath.Ext(to) == ".onnx" {
		c.move(t, adder(n), to)
		return
	}
	aside := t.TempDir()
	write(t, aside, "v/model.onnx", adder(n))
	if err := os.Rename(filepath.Join(aside, "v"), filepath.Join(c.repository, to)); err != nil {
		t.Fatal(err)
	}
}

// move replaces a file as careful programs do, in one step.
func (c *changing) move(t *testing.T, content []byte, to string) {
	t.Helper()
	aside := t.TempDir()
	write(t, aside, "file", content)
	if err := os.Rename(filepath.Join(aside, "file"), filepath.Join(c.repository, to)); err != nil {
		t.Fatal(err)
	}
}

// TestModelsCutWhileTheyLoad writes a model's file slowly, in place, while loads are asked for at the same time. The version
// before it serves until the file is whole; each load that is refused has a reason; in the end the new one serves.
func TestModelsCutWhileTheyLoad(t *testing.T) {
	f := begin(t)
	repository := t.TempDir()
	write(t, repository, "m/1/model.onnx", adder(0))
	s := serve(t, repository, "--model-control-mode=explicit", "--load-model=m")
	for round := range f.rounds(10) {
		n := int32(round)
		file := adder(n)
		path := filepath.Join(repository, "m/1/model.onnx")
		var loads sync.WaitGroup
		for cut := 0; cut < len(file); cut += max(1, len(file)/7) {
			if err := os.WriteFile(path, file[:cut], 0o600); err != nil {
				t.Fatal(err)
			}
			loads.Go(func() { s.loadCut(t) })
			f.throw("loads of a file that is cut", 1)
			if got, err := s.add(t.Context(), "m", n); err != nil || got != n-1 {
				f.lose("the answer while file %d is written: %d, %v", n, got, err)
			}
		}
		loads.Wait()
		write(t, repository, "m/1/model.onnx", file)
		if _, err := s.RepositoryModelLoad(t.Context(), &kservepb.RepositoryModelLoadRequest{ModelName: "m"}); err != nil {
			t.Fatalf("the whole file %d: %v", n, err)
		}
		if got, err := s.add(t.Context(), "m", n); err != nil || got != n {
			t.Fatalf("file %d: %d, %v", n, got, err)
		}
	}
}

func (s *server) loadCut(t *testing.T) {
	_, err := s.RepositoryModelLoad(t.Context(), &kservepb.RepositoryModelLoadRequest{ModelName: "m"})
	if err != nil && len(err.Error()) < 40 {
		t.Errorf("a reason that says nothing: %v", err)
	}
}
