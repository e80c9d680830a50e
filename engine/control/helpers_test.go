package control_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/infer"
	"conch/engine/model"
	"conch/engine/tensor"
)

// bench is a manager over a folder, with a fake backend.
type bench struct {
	*control.Manager
	dir    *controltest.Dir
	fake   *fake.Backend
	loader *model.Loader
	failed int
	watch  *control.Watcher
}

// start runs a manager until the test ends.
func start(t *testing.T, o control.Options, prepare func(b *bench)) *bench {
	t.Helper()
	return startAs(t, &bench{}, o, prepare)
}

// startAs runs the manager of a bench that is already in use.
func startAs(t *testing.T, b *bench, o control.Options, prepare func(b *bench)) *bench {
	t.Helper()
	b.dir, b.fake = controltest.New(t, 2), &fake.Backend{}
	if prepare != nil {
		prepare(b)
		b.dir.Look()
	}
	o.Models = b.dir
	b.loader = &model.Loader{Backends: map[string]backend.Backend{fake.Name: b.fake}, Log: discard}
	o.Loader = b.loader
	b.Manager = control.New(o)
	b.watch = b.Watch()
	ctx, cancel := context.WithCancel(context.Background())
	started, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- b.Run(ctx, func(failed int) {
			b.failed = failed
			close(started)
		})
	}()
	select {
	case <-started:
	case err := <-done:
		t.Fatalf("run: %v", err)
	}
	t.Cleanup(func() {
		cancel()
		<-done
		limit, end := context.WithTimeout(context.Background(), 10*time.Second)
		defer end()
		if err := b.Close(limit); err != nil {
			t.Errorf("close: %v", err)
		}
		if n, m := b.fake.Models.Load(), b.fake.Instances.Load(); n != 0 || m != 0 {
			t.Errorf("%d models and %d instances were not freed", n, m)
		}
	})
	return b
}

// config returns the config of a model that copies IN to OUT.
func config(name string, extra ...string) string {
	return fmt.Sprintf("name: %q\nbackend: \"fake\"\ndefault_model_filename: \"model.fake\"\nmax_batch_size: 4\n"+
		"input [{ name: \"IN\" data_type: TYPE_FP32 dims: [2] }]\noutput [{ name: \"OUT\" data_type: TYPE_FP32 dims: [2] }]\n%s\n",
		name, strings.Join(extra, "\n"))
}

// chain returns the config of an ensemble that sends X through models in a row.
func chain(name string, models ...string) string {
	var steps []string
	for i, m := range models {
		from, to := fmt.Sprint("t", i), fmt.Sprint("t", i+1)
		if i == 0 {
			from = "X"
		}
		if i == len(models)-1 {
			to = "Y"
		}
		in, out := "IN", "OUT"
		if strings.HasPrefix(m, "e") {
			in, out = "X", "Y"
		}
		steps = append(steps, fmt.Sprintf("{ model_name: %q model_version: -1 input_map { key: %q value: %q } output_map { key: %q value: %q } }", m, in, from, out, to))
	}
	return fmt.Sprintf("name: %q\nplatform: \"ensemble\"\nmax_batch_size: 4\ninput [{ name: \"X\" data_type: TYPE_FP32 dims: [2] }]\n"+
		"output [{ name: \"Y\" data_type: TYPE_FP32 dims: [2] }]\nensemble_scheduling { step [ %s ] }\n", name, strings.Join(steps, ", "))
}

func (b *bench) add(t *testing.T, name, text string) {
	t.Helper()
	b.dir.Write(t, name+"/config.pbtxt", config(name))
	b.dir.Write(t, name+"/1/model.fake", text)
}

func (b *bench) addEnsemble(t *testing.T, name string, models ...string) {
	t.Helper()
	b.dir.Write(t, name+"/config.pbtxt", chain(name, models...))
	b.dir.Write(t, name+"/1/", "")
}

// ask sends a request and returns the content of the answering version's model file.
func (b *bench) ask(name string, version int64) (string, error) {
	input := "IN"
	if strings.HasPrefix(name, "e") {
		input = "X"
	}
	r := &infer.Request{Model: name, Version: version, Inputs: []tensor.Tensor{
		{Name: input, Type: tensor.FP32, Shape: tensor.Shape{1, 2}, Data: make([]byte, 8)},
	}}
	content := ""
	err := b.Infer(context.Background(), r, func(resp *infer.Response) error {
		content, _ = resp.Parameters[fake.Content].(string)
		return nil
	})
	return content, err
}

// wantAnswer fails unless this build of a model serves.
func (b *bench) wantAnswer(t *testing.T, name, want string) {
	t.Helper()
	if got, err := b.ask(name, infer.Latest); err != nil || got != want {
		t.Errorf("%s answers %q, %v; want %q", name, got, err, want)
	}
}

func (b *bench) wantError(t *testing.T, name, want string) {
	t.Helper()
	if _, err := b.ask(name, infer.Latest); err == nil || err.Error() != want {
		t.Errorf("%s answers %v; want %q", name, err, want)
	}
}

// index returns the repository index on one line.
func (b *bench) index() string {
	text, _ := json.Marshal(b.Index(false))
	var rows []control.IndexEntry
	_ = json.Unmarshal(text, &rows)
	var list []string
	for _, r := range rows {
		row := r.Name
		if r.Version != control.NoVersion {
			row += fmt.Sprint("/", r.Version)
		}
		if r.State != "" {
			row += " " + string(r.State)
		}
		if r.Reason != "" {
			row += " (" + r.Reason + ")"
		}
		list = append(list, row)
	}
	return strings.Join(list, ", ")
}

func (b *bench) wantIndex(t *testing.T, want string) {
	t.Helper()
	if got := b.index(); got != want {
		t.Errorf("index = %s\nwant    %s", got, want)
	}
}

// until waits for a condition that a background operation fulfils.
func (b *bench) until(t *testing.T, what string, reached func() bool) {
	t.Helper()
	limit, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for !reached() {
		if _, err := b.watch.Next(limit); err != nil {
			t.Fatalf("%s did not come about; index: %s", what, b.index())
		}
	}
}

// unloaded waits until no version of a model serves or drains.
func (b *bench) untilIndex(t *testing.T, want string) {
	t.Helper()
	b.until(t, want, func() bool { return b.index() == want })
}

func (b *bench) load(t *testing.T, name string) {
	t.Helper()
	if err := b.Load(t.Context(), name, control.Request{}); err != nil {
		t.Fatalf("load %s: %v", name, err)
	}
}
