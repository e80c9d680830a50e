package sched_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// parts are the models of an ensemble. Each appends its name to its input, after a while.
type parts struct {
	configs map[string]*modelconfig.ModelConfig
	takes   map[string]time.Duration
	fails   map[string]error
	silent  map[string]bool // returns no output
	queued  map[string]bool // waits until nobody waits for it
	copies  map[string]bool // takes its inputs before it works

	mu       sync.Mutex // guards what follows
	ran      []string
	shapes   []string
	released int
	left     bool // the client of a request has left before its answer
}

func (p *parts) Enter(model string, version int64) (infer.Target, error) {
	config, err := p.Config(model, version)
	return infer.Target{Config: config, Version: p}, err
}

func (p *parts) Leave() {}

func (p *parts) Config(model string, _ int64) (*modelconfig.ModelConfig, error) {
	if cfg := p.configs[model]; cfg != nil {
		return cfg, nil
	}
	return &modelconfig.ModelConfig{Name: model}, nil
}

func (p *parts) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	if r.Trace != nil {
		r.Trace.Begin(r.Model, 1, r)
	}
	if p.queued[r.Model] {
		<-ctx.Done()
		return sched.Gone(ctx)
	}
	if p.copies[r.Model] && r.Taken != nil {
		r.Taken()
	}
	time.Sleep(p.takes[r.Model]) // a model's work under a fake clock
	p.mu.Lock()
	p.ran = append(p.ran, r.Model)
	p.left = p.left || ctx.Err() != nil
	var data []byte
	for _, in := range r.Inputs {
		p.shapes = append(p.shapes, fmt.Sprint(r.Model, ".", in.Name, in.Shape))
		data = append(data, in.Data...)
	}
	p.mu.Unlock()
	if err := p.fails[r.Model]; err != nil {
		return err
	}
	resp := &infer.Response{Model: r.Model, Version: 1, Final: true, Release: func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.released++
	}}
	for _, out := range r.Outputs {
		if p.silent[r.Model] {
			break
		}
		resp.Outputs = append(resp.Outputs, tensor.Tensor{Name: out.Name, Data: append(bytes.Clone(data), r.Model...), Shape: tensor.Shape{1}})
	}
	resp.Timings.Infer = p.takes[r.Model]
	err := sink(resp)
	if resp.Release != nil {
		resp.Release()
	}
	return err
}

// diamond is a -> (b, c) -> d, where c has an output of its own as well.
func diamond() *modelconfig.ModelConfig {
	step := func(model string, in, out map[string]string) *modelconfig.ModelEnsembling_Step {
		return &modelconfig.ModelEnsembling_Step{ModelName: model, ModelVersion: -1, InputMap: in, OutputMap: out}
	}
	m := func(kv ...string) map[string]string {
		entries := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			entries[kv[i]] = kv[i+1]
		}
		return entries
	}
	return &modelconfig.ModelConfig{
		Name: "e", Platform: "ensemble",
		Input:  []*modelconfig.ModelInput{{Name: "IN"}},
		Output: []*modelconfig.ModelOutput{{Name: "OUT"}, {Name: "SIDE"}},
		SchedulingChoice: &modelconfig.ModelConfig_EnsembleScheduling{EnsembleScheduling: &modelconfig.ModelEnsembling{
			Step: []*modelconfig.ModelEnsembling_Step{
				step("d", m("x", "tb", "y", "tc"), m("o", "OUT")),
				step("a", m("x", "IN"), m("o", "ta")),
				step("b", m("x", "ta"), m("o", "tb")),
				step("c", m("x", "ta"), m("o", "tc")),
				step("side", m("x", "tc"), m("o", "SIDE")),
			},
		}},
	}
}

func run(t *testing.T, p *parts, wants ...string) (map[string]string, *infer.Response, error) {
	t.Helper()
	return runTraced(t, p, nil, wants...)
}

func runTraced(t *testing.T, p *parts, trace *infer.Trace, wants ...string) (map[string]string, *infer.Response, error) {
	t.Helper()
	r := &infer.Request{Received: time.Now(), Trace: trace, Inputs: []tensor.Tensor{{Name: "IN", Data: []byte("-"), Shape: tensor.Shape{1}}}}
	for _, name := range wants {
		r.Outputs = append(r.Outputs, infer.RequestedOutput{Name: name})
	}
	got := map[string]string{}
	var response *infer.Response
	err := sched.NewEnsemble(diamond(), p).Infer(t.Context(), r, func(resp *infer.Response) error {
		response = resp
		for _, out := range resp.Outputs {
			got[out.Name] = string(out.Data)
		}
		return nil
	})
	if trace != nil {
		trace.End(err)
	}
	return got, response, err
}

func TestEnsembleFlowsAndBranchesRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &parts{takes: map[string]time.Duration{"a": 10, "b": 200, "c": 100, "d": 10, "side": 10}}
		began := time.Now()
		trace := &infer.Trace{}
		got, response, err := runTraced(t, p, trace)
		if err != nil {
			t.Fatal(err)
		}
		if got["OUT"] != "-ab-acd" || got["SIDE"] != "-acside" {
			t.Errorf("outputs = %v", got)
		}
		if took := time.Since(began); took != 220 {
			t.Errorf("took %v, want 220ns: b and c side by side", took)
		}
		if response.Timings.Infer != 330 {
			t.Errorf("compute time = %v, want the sum over the steps, 330ns", response.Timings.Infer)
		}
		var steps string
		for _, s := range trace.Steps {
			steps += fmt.Sprintf("%s@%d ", s.Model, s.Received.Sub(began))
		}
		if want := "a@0 b@10 c@10 side@110 d@210 "; steps != want {
			t.Errorf("trace = %q, want %q", steps, want)
		}
		if p.released != 5 {
			t.Errorf("memory of %d steps was released, want 5", p.released)
		}
	})
}

// A step with outputs that nobody asked for does not run (docs/triton/ensembles.md, "How a request
// flows").
func TestEnsembleRunsOnlyWhatIsWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &parts{}
		got, _, err := run(t, p, "SIDE")
		if err != nil || len(got) != 1 || fmt.Sprint(p.ran) != "[a c side]" {
			t.Errorf("ran %v, got %v, error %v; want a, c, side and SIDE alone", p.ran, got, err)
		}
	})
}

func TestEnsembleFailure(t *testing.T) {
	for copies, want := range map[bool]time.Duration{false: 100, true: 10} {
		synctest.Test(t, func(t *testing.T) {
			p := &parts{
				takes:  map[string]time.Duration{"b": 10, "c": 100},
				fails:  map[string]error{"b": infer.Errorf(infer.Unavailable, "b is tired")},
				copies: map[string]bool{"c": copies},
			}
			began := time.Now()
			_, _, err := run(t, p)
			if err == nil || err.Error() != "in ensemble 'e', b is tired" || infer.CodeOf(err) != infer.Unavailable {
				t.Errorf("error = %v", err)
			}
			if time.Since(began) != want {
				t.Errorf("answered after %v: a step was still running, and has taken its inputs: %v", time.Since(began), copies)
			}
			time.Sleep(100 * time.Nanosecond)
			synctest.Wait()
			if p.released != 2 || !p.left {
				t.Errorf("memory of %d steps was released, want 2; the client has left for the step beside: %v", p.released, p.left)
			}
		})
	}
}

// When a step fails, steps beside it that wait do not wait on: nobody reads their answers.
func TestEnsembleFailureEndsWhatWaits(t *testing.T) {
	for _, decoupled := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := &parts{
				takes:  map[string]time.Duration{"a": time.Second, "b": time.Second},
				fails:  map[string]error{"b": infer.Errorf(infer.Unavailable, "b is tired")},
				queued: map[string]bool{"c": true},
			}
			cfg := diamond()
			cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: decoupled}
			began := time.Now()
			err := sched.NewEnsemble(cfg, p).Infer(t.Context(), &infer.Request{Inputs: []tensor.Tensor{{Name: "IN", Data: []byte("i")}}}, func(*infer.Response) error { return nil })
			if err == nil || err.Error() != "in ensemble 'e', b is tired" || time.Since(began) != 2*time.Second || t.Context().Err() != nil {
				t.Errorf("%v after %v", err, time.Since(began))
			}
			if fmt.Sprint(p.ran) != "[a b]" || p.released != 1 {
				t.Errorf("ran %v, released %d", p.ran, p.released)
			}
		})
	}
}

// A failed step does not end the sequence of a step beside it: that one runs on.
func TestEnsembleFailureKeepsSequences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &parts{
			takes: map[string]time.Duration{"a": time.Second, "b": time.Second, "c": 5 * time.Second},
			fails: map[string]error{"b": infer.Errorf(infer.Unavailable, "b is tired")},
		}
		r := of("q1")
		r.Inputs = []tensor.Tensor{{Name: "IN", Data: []byte("i")}}
		err := sched.NewEnsemble(diamond(), p).Infer(t.Context(), r, func(*infer.Response) error { return nil })
		if err == nil || fmt.Sprint(p.ran) != "[a b c]" || p.left {
			t.Errorf("%v; ran %v; the client seems to have left: %t", err, p.ran, p.left)
		}
	})
}

// An output that a step leaves out is missing in the ensemble's response too (seen on Triton 24.10), even if the
// response is then empty.
func TestEnsembleLeavesOutWhatAStepLeftOut(t *testing.T) {
	p := &parts{silent: map[string]bool{"side": true}}
	got, response, err := run(t, p, "SIDE")
	if err != nil || len(got) != 0 || response == nil || !response.Final {
		t.Errorf("outputs %v, response %v, error %v", got, response, err)
	}
	got, _, err = run(t, p)
	if err != nil || len(got) != 1 || got["OUT"] != "-ab-acd" {
		t.Errorf("outputs %v, error %v; want OUT alone", got, err)
	}
}

func TestEnsembleCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("gone"))
	r := &infer.Request{Inputs: []tensor.Tensor{{Name: "IN"}}}
	err := sched.NewEnsemble(diamond(), &parts{}).Infer(ctx, r, nil)
	if infer.CodeOf(err) != infer.Cancelled {
		t.Errorf("error = %v", err)
	}
}

// Where one side batches and the other does not, a batch of one gains or loses its dimension,
// before a step and before the ensemble's response; a shape that already fits stays
// (docs/triton/ensembles.md, "How a request flows").
func TestEnsembleBridgesBatching(t *testing.T) {
	for _, c := range []struct {
		name               string
		ensemble, step     int32
		dims               []int64
		given, taken, left tensor.Shape // the request's, the step's, the answer's
	}{
		{"both batch", 4, 4, []int64{3}, tensor.Shape{2, 3}, tensor.Shape{2, 3}, tensor.Shape{2, 3}},
		{"neither batches", 0, 0, []int64{3}, tensor.Shape{3}, tensor.Shape{3}, tensor.Shape{3}},
		{"into a batch", 0, 4, []int64{3}, tensor.Shape{3}, tensor.Shape{1, 3}, tensor.Shape{3}},
		{"into a batch, any extent", 0, 4, []int64{-1}, tensor.Shape{7}, tensor.Shape{1, 7}, tensor.Shape{7}},
		{"a batch already", 0, 4, []int64{3}, tensor.Shape{2, 3}, tensor.Shape{2, 3}, tensor.Shape{2, 3}},
		{"out of a batch of one", 4, 0, []int64{3}, tensor.Shape{1, 3}, tensor.Shape{3}, tensor.Shape{1, 3}},
		{"a batch that is one tensor there", 4, 0, []int64{-1, 3}, tensor.Shape{1, 3}, tensor.Shape{1, 3}, tensor.Shape{1, 3}},
		{"a batch of many", 4, 0, []int64{3}, tensor.Shape{2, 3}, tensor.Shape{2, 3}, tensor.Shape{2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newInstant()
			p.config = &modelconfig.ModelConfig{Name: "m", MaxBatchSize: c.step, Input: []*modelconfig.ModelInput{{Name: "i", Dims: c.dims}}}
			cfg := chainOf(1)
			cfg.MaxBatchSize, cfg.Input[0].Dims, cfg.Output[0].Dims = c.ensemble, []int64{3}, []int64{3}
			if c.name == "into a batch, any extent" {
				cfg.Output[0].Dims = []int64{-1}
			}
			steps := &batching{instant: p}
			r := &infer.Request{Inputs: []tensor.Tensor{{Name: "t0", Shape: c.given}}}
			if c.ensemble > 0 {
				r.Batch = c.given[0]
			}
			var left tensor.Shape
			err := sched.NewEnsemble(cfg, steps).Infer(t.Context(), r, func(resp *infer.Response) error {
				left = resp.Outputs[0].Shape
				return nil
			})
			if err != nil || fmt.Sprint(steps.taken, left) != fmt.Sprint(c.taken, c.left) {
				t.Errorf("the step was given %v, the client %v, %v; want %v, %v", steps.taken, left, err, c.taken, c.left)
			}
		})
	}
}

// batching are models that set the batch size of their requests, as models do, and record the shapes that they
// get.
type batching struct {
	*instant
	taken tensor.Shape
}

func (b *batching) Enter(model string, version int64) (infer.Target, error) {
	config, err := b.Config(model, version)
	return infer.Target{Config: config, Version: b}, err
}

func (b *batching) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	b.taken, r.Batch = r.Inputs[0].Shape, 0
	if b.config.MaxBatchSize > 0 {
		r.Batch = r.Inputs[0].Shape[0]
	}
	return b.handler.Infer(ctx, r, sink)
}

// When a request leaves out an optional input of the ensemble, the steps do not get it either. A step without any
// input runs anyway (seen on Triton 24.10).
func TestEnsemblePassesOptionalInputsOn(t *testing.T) {
	cfg := streaming("add A=IN B=B > OUT=OUT")
	cfg.ModelTransactionPolicy = nil
	cfg.Input = append(cfg.Input, &modelconfig.ModelInput{Name: "B", Optional: true})
	s, r := &shop{}, ofNumber(5)
	if got, err := answersOf(t, s, cfg, r); got != "5." || err != nil {
		t.Errorf("answers %q, %v", got, err)
	}
	if got, err := answersOf(t, s, cfg, &infer.Request{}); got != "0." || err != nil {
		t.Errorf("answers %q, %v", got, err)
	}
}

// Every step of a request gets its ID, parameters, priority, timeout and sequence.
func TestStepsGetWhatTheRequestHas(t *testing.T) {
	r := ofNumber(1)
	r.Priority, r.Timeout, r.Sequence, r.Parameters = 3, 4, infer.Sequence{ID: 5, End: true}, map[string]any{"p": true}
	s := &seen{shop: &shop{}}
	cfg := streaming("id IN=IN > OUT=t", "id IN=t > OUT=OUT")
	if err := sched.NewEnsemble(cfg, s).Infer(t.Context(), r, func(*infer.Response) error { return nil }); err != nil {
		t.Fatal(err)
	}
	const each = "r3 4ns {5  false true} map[p:true]"
	if fmt.Sprint(s.list) != fmt.Sprint([]string{each, each}) {
		t.Errorf("steps got %v", s.list)
	}
}

// seen records what requests have besides tensors.
type seen struct {
	*shop
	list []string
}

func (s *seen) Enter(model string, version int64) (infer.Target, error) {
	config, err := s.Config(model, version)
	return infer.Target{Config: config, Version: s}, err
}

func (s *seen) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	s.list = append(s.list, fmt.Sprint(r.ID, r.Priority, r.Timeout, r.Sequence, r.Parameters))
	return s.shop.Infer(ctx, r, sink)
}
