package sched_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/sched"
	"conch/engine/tensor"
)

const ms = time.Millisecond

// shop is a repository of models that count: "rep" answers once for each number up to its input, as a decoupled model
// does, "-rep" marks its last answer as final, "id" takes 20 ms for its input, "add" adds A and B.
type shop struct {
	ensembles map[string]*modelconfig.ModelConfig
	instances int32         // of id; 0 for one
	pace      time.Duration // between answers of rep

	mu        sync.Mutex // guards what follows
	idle      *sync.Cond // one request at a time when there is one instance
	busy      int
	ran       []string // "id 3", by the beginning
	high      int      // most requests of id at a time
	lent      int      // responses whose memory is out
	sequences []string
}

func (s *shop) Enter(model string, version int64) (infer.Target, error) {
	config, err := s.Config(model, version)
	return infer.Target{Config: config, Version: s}, err
}

func (s *shop) Leave() {}

func (s *shop) Config(model string, _ int64) (*modelconfig.ModelConfig, error) {
	if cfg := s.ensembles[model]; cfg != nil {
		return cfg, nil
	}
	cfg := &modelconfig.ModelConfig{Name: model, InstanceGroup: []*modelconfig.ModelInstanceGroup{{Count: max(s.instances, 1)}}}
	if strings.HasSuffix(model, "rep") {
		cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: true}
	}
	return cfg, nil
}

func (s *shop) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	if cfg := s.ensembles[r.Model]; cfg != nil {
		return sched.NewEnsemble(cfg, s).Infer(ctx, r, sink)
	}
	if r.Trace != nil {
		r.Trace.Begin(r.Model, 1, r)
		defer func() { r.Trace.End(nil) }()
	}
	s.note(fmt.Sprintf("%s %d", r.Model, number(r, "IN")), r.Sequence)
	switch r.Model {
	case "rep", "-rep":
		return s.repeat(ctx, r, sink)
	case "add":
		return s.give(r, sink, number(r, "A")+number(r, "B"), true)
	case "back":
		time.Sleep(time.Duration(50-number(r, "IN")) * ms)
		return s.give(r, sink, number(r, "IN"), true)
	case "bad":
		if number(r, "IN") == 2 {
			return infer.Errorf(infer.Internal, "two")
		}
	case "broken":
		return infer.Errorf(infer.Unavailable, "%d is too many", number(r, "IN"))
	}
	s.enter(1)
	time.Sleep(20 * ms) // a model's work under a fake clock
	s.enter(-1)
	return s.give(r, sink, number(r, "IN"), true)
}

func (s *shop) note(what string, q infer.Sequence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ran = append(s.ran, what)
	if q != (infer.Sequence{}) {
		s.sequences = append(s.sequences, fmt.Sprintf("%s %d%s %v %v", what, q.ID, q.Name, q.Start, q.End))
	}
}

// enter counts those inside, and lets one in at a time where there is one instance.
func (s *shop) enter(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle == nil {
		s.idle = sync.NewCond(&s.mu)
	}
	for n > 0 && s.busy >= int(max(s.instances, 1)) {
		s.idle.Wait()
	}
	s.busy += n
	s.high = max(s.high, s.busy)
	s.idle.Broadcast()
}

func (s *shop) repeat(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	n := number(r, "IN")
	for i := range n {
		if ctx.Err() != nil {
			return infer.Errorf(infer.Cancelled, "rep was told to stop")
		}
		time.Sleep(s.pace)
		if err := s.give(r, sink, i+1, r.Model == "-rep" && i == n-1); err != nil {
			return err
		}
	}
	if r.Model == "rep" || n == 0 {
		return sink(&infer.Response{Final: true})
	}
	return nil
}

// give answers with a number as OUT, and the number before it as IDX.
func (s *shop) give(r *infer.Request, sink infer.Sink, n int, final bool) error {
	resp := &infer.Response{Model: r.Model, Version: 1, Final: final, Timings: infer.Timings{Infer: 1}, Release: func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lent--
	}}
	s.mu.Lock()
	s.lent++
	s.mu.Unlock()
	for _, out := range r.Outputs {
		value := n
		if out.Name == "IDX" {
			value--
		}
		resp.Outputs = append(resp.Outputs, tensor.Tensor{Name: out.Name, Type: tensor.Int8, Shape: tensor.Shape{1}, Data: []byte{byte(value)}})
	}
	if r.Model == "rep" && r.Parameters["tell"] != nil {
		resp.Parameters = map[string]any{"sequence_id": int64(40 + n), "sequence_start": n == 1, "sequence_end": n == 2}
	}
	err := sink(resp)
	if resp.Release != nil {
		resp.Release()
	}
	return err
}

func number(r *infer.Request, name string) int {
	if in := r.Input(name); in != nil {
		return int(int8(in.Data[0]))
	}
	return 0
}

// streaming makes an ensemble from IN to OUT of steps "model in=tensor … > out=tensor …".
func streaming(steps ...string) *modelconfig.ModelConfig {
	flow := &modelconfig.ModelEnsembling{}
	for _, text := range steps {
		words := strings.Fields(text)
		s := &modelconfig.ModelEnsembling_Step{ModelName: words[0], ModelVersion: -1, InputMap: map[string]string{}, OutputMap: map[string]string{}}
		to := s.InputMap
		for _, w := range words[1:] {
			if w == ">" {
				to = s.OutputMap
				continue
			}
			name, tensor, _ := strings.Cut(w, "=")
			to[name] = tensor
		}
		flow.Step = append(flow.Step, s)
	}
	return &modelconfig.ModelConfig{
		Name: "e", Input: []*modelconfig.ModelInput{{Name: "IN"}}, Output: []*modelconfig.ModelOutput{{Name: "OUT"}},
		ModelTransactionPolicy: &modelconfig.ModelTransactionPolicy{Decoupled: true},
		SchedulingChoice:       &modelconfig.ModelConfig_EnsembleScheduling{EnsembleScheduling: flow},
	}
}

// answersOf runs an ensemble on a number and returns its answers, such as "1 2 3."; a dot marks the final
// one.
func answersOf(t *testing.T, s *shop, cfg *modelconfig.ModelConfig, r *infer.Request) (string, error) {
	t.Helper()
	return answersFrom(t, s, sched.NewEnsemble(cfg, s), r)
}

func answersFrom(t *testing.T, s *shop, e *sched.Ensemble, r *infer.Request) (string, error) {
	t.Helper()
	var list []string
	err := e.Infer(t.Context(), r, func(resp *infer.Response) error {
		text := ""
		for _, out := range resp.Outputs {
			text += fmt.Sprint(int8(out.Data[0]))
		}
		if resp.Final {
			text += "."
		}
		list = append(list, text)
		return nil
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lent != 0 {
		t.Errorf("memory of %d responses is still out", s.lent)
	}
	return strings.Join(list, " "), err
}

func ofNumber(n int) *infer.Request {
	return &infer.Request{ID: "r", Inputs: []tensor.Tensor{{Name: "IN", Type: tensor.Int8, Shape: tensor.Shape{1}, Data: []byte{byte(n)}}}}
}

// What follows a decoupled step runs once for each of its responses. The ensemble's last response
// is marked as final where it is known to be the last; otherwise an empty final response follows
// (docs/triton/ensembles.md, "Decoupled steps"). Each case was checked on Triton 24.10.
func TestDecoupledSteps(t *testing.T) {
	inner := streaming("rep IN=IN > OUT=t", "id IN=t > OUT=OUT")
	inner.Name = "inner"
	for _, c := range []struct {
		name  string
		steps []string
		in    int
		want  string
	}{
		{"alone", []string{"rep IN=IN > OUT=OUT"}, 3, "1 2 3 ."},
		{"the end on the last response", []string{"-rep IN=IN > OUT=OUT"}, 3, "1 2 3."},
		{"no response", []string{"rep IN=IN > OUT=OUT"}, 0, "."},
		{"no response, a step behind", []string{"rep IN=IN > OUT=t", "id IN=t > OUT=OUT"}, 0, "."},
		{"a slow step behind", []string{"rep IN=IN > OUT=t", "id IN=t > OUT=OUT"}, 3, "1 2 3."},
		{"a slow step behind, the end on the last response", []string{"-rep IN=IN > OUT=t", "id IN=t > OUT=OUT"}, 3, "1 2 3."},
		{"one decoupled step behind another", []string{"rep IN=IN > OUT=t", "rep IN=t > OUT=OUT"}, 3, "1 1 2 1 2 3 ."},
		{"the branches of a response meet again", []string{"rep IN=IN > OUT=t IDX=u", "id IN=u > OUT=w", "add A=t B=w > OUT=OUT"}, 3, "1 3 5."},
		{"an ensemble in an ensemble", []string{"inner IN=IN > OUT=t", "id IN=t > OUT=OUT"}, 3, "1 2 3."},
		{"two decoupled steps and a slow one", []string{"rep IN=IN > OUT=t", "rep IN=t > OUT=u", "id IN=u > OUT=OUT"}, 3, "1 1 2 1 2 3."},
		{"a step before", []string{"id IN=IN > OUT=t", "rep IN=t > OUT=OUT"}, 2, "1 2 ."},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, err := answersOf(t, &shop{ensembles: map[string]*modelconfig.ModelConfig{"inner": inner}}, streaming(c.steps...), ofNumber(c.in))
				if err != nil || got != c.want {
					t.Errorf("answers %q, %v; want %q", got, err, c.want)
				}
			})
		})
	}
}

// The next step runs at the same time as the decoupled step, not after it.
func TestDecoupledStepAndWhatFollowsOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, began := &shop{pace: 20 * ms}, time.Now()
		got, err := answersOf(t, s, streaming("rep IN=IN > OUT=t", "id IN=t > OUT=OUT"), ofNumber(5))
		if took := time.Since(began); err != nil || got != "1 2 3 4 5." || took != 120*ms {
			t.Errorf("answers %q, %v after %v; want them after 120ms", got, err, took)
		}
	})
}

// A model with several instances runs the responses of one request at the same time.
func TestDecoupledStepFeedsAllInstances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, began := &shop{instances: 3}, time.Now()
		_, err := answersOf(t, s, streaming("rep IN=IN > OUT=t", "id IN=t > OUT=OUT"), ofNumber(6))
		if took := time.Since(began); err != nil || took != 40*ms || s.high != 3 {
			t.Errorf("%v after %v, up to %d at a time; want 40ms, 3", err, took, s.high)
		}
	})
}

// A model with several instances may finish a later response first. Tensors of the same response still stay together,
// and the responses leave in order. (Triton combines tensors that come at the same time, and sends a response when it
// is ready.)
func TestDecoupledStepsKeepOrderBehindSeveralInstances(t *testing.T) {
	for want, steps := range map[string][]string{
		"1 2 3 4.": {"rep IN=IN > OUT=t", "back IN=t > OUT=OUT"},
		"1 3 5 7.": {"rep IN=IN > OUT=t IDX=u", "back IN=u > OUT=w", "add A=t B=w > OUT=OUT"},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			got, err := answersOf(t, &shop{instances: 4}, streaming(steps...), ofNumber(4))
			if took := time.Since(began); err != nil || got != want || took > 50*ms {
				t.Errorf("answers %q, %v after %v; want %q", got, err, took, want)
			}
		})
	}
}

// A failure ends the ensemble; earlier responses are still sent. Further responses of a decoupled step are dropped.
func TestDecoupledEnsembleFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{pace: 5 * ms}
		cfg := streaming("rep IN=IN > OUT=t", "id IN=t > OUT=OUT", "rep IN=OUT > OUT=u", "broken IN=u > OUT=w")
		cfg.Output = append(cfg.Output, &modelconfig.ModelOutput{Name: "w"})
		got, err := answersOf(t, s, cfg, ofNumber(3))
		if got != "" || err == nil || err.Error() != "in ensemble 'e', 1 is too many" || infer.CodeOf(err) != infer.Unavailable {
			t.Errorf("answers %q, %v", got, err)
		}
	})
}

// A model that could answer for hours ends with its next answer when a step behind it has failed.
func TestDecoupledEnsembleFailsSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		got, err := answersOf(t, &shop{pace: time.Second}, streaming("rep IN=IN > OUT=t", "broken IN=t > OUT=OUT"), ofNumber(100))
		if took := time.Since(began); got != "" || infer.CodeOf(err) != infer.Unavailable || took > 2*time.Second {
			t.Errorf("answers %q, %v after %v", got, err, took)
		}
	})
}

func TestDecoupledEnsembleFailsHalfway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, err := answersOf(t, &shop{}, streaming("rep IN=IN > OUT=t", "bad IN=t > OUT=OUT"), ofNumber(4))
		if got != "1" || err == nil || err.Error() != "in ensemble 'e', two" {
			t.Errorf("answers %q, %v; want one and the error", got, err)
		}
	})
}

// The requested outputs decide which steps run, and so which response is the last (seen on Triton 24.10).
func TestDecoupledEnsembleGivesWhatIsWanted(t *testing.T) {
	for outputs, want := range map[string]string{"T OUT": "10 21 32.", "OUT T": "10 21 32.", "T": "1 2 3 .", "OUT": "0 1 2."} {
		synctest.Test(t, func(t *testing.T) {
			cfg, r := streaming("rep IN=IN > OUT=T IDX=t", "id IN=t > OUT=OUT"), ofNumber(3)
			cfg.Output = []*modelconfig.ModelOutput{{Name: "T"}, {Name: "OUT"}}
			for _, name := range strings.Fields(outputs) {
				r.Outputs = append(r.Outputs, infer.RequestedOutput{Name: name})
			}
			if got, err := answersOf(t, &shop{}, cfg, r); err != nil || got != want {
				t.Errorf("%s: answers %q, %v; want %q", outputs, got, err, want)
			}
		})
	}
}

// The limit also holds for requests of an ensemble that is not decoupled.
func TestMaxInflightRequestsOfOrdinaryEnsembles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, cfg := &shop{instances: 8}, streaming("id IN=IN > OUT=t", "add A=t > OUT=OUT")
		cfg.ModelTransactionPolicy = nil
		cfg.GetEnsembleScheduling().MaxInflightRequests = 3
		e := sched.NewEnsemble(cfg, s)
		var all sync.WaitGroup
		for range 9 {
			all.Go(func() {
				if err := e.Infer(t.Context(), ofNumber(4), func(*infer.Response) error { return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if s.high != 3 {
			t.Errorf("up to %d at a time; want 3", s.high)
		}
	})
}

func TestDecoupledEnsembleCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{pace: 10 * ms}
		ctx, cancel := context.WithCancelCause(t.Context())
		count := 0
		err := sched.NewEnsemble(streaming("rep IN=IN > OUT=t", "id IN=t > OUT=OUT"), s).Infer(ctx, ofNumber(100), func(*infer.Response) error {
			if count++; count == 2 {
				cancel(errors.New("the client has gone"))
			}
			return nil
		})
		if infer.CodeOf(err) != infer.Cancelled || count > 3 || len(s.ran) > 8 || s.lent != 0 {
			t.Errorf("%d answers, %d runs, %d lent, %v", count, len(s.ran), s.lent, err)
		}
	})
}

// When a client accepts no more responses, the ensemble ends with the client's error.
func TestDecoupledEnsembleWithoutAClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, count, gone := &shop{}, 0, errors.New("the stream is closed")
		err := sched.NewEnsemble(streaming("rep IN=IN > OUT=t", "id IN=t > OUT=OUT"), s).Infer(t.Context(), ofNumber(9), func(*infer.Response) error {
			count++
			return gone
		})
		if !errors.Is(err, gone) || count != 1 || s.lent != 0 {
			t.Errorf("%d answers, %d lent, %v", count, s.lent, err)
		}
	})
}

// max_inflight_requests bounds how many requests are underway in a step, over all requests of the ensemble. The model
// before it waits.
func TestMaxInflightRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, cfg := &shop{instances: 8}, streaming("rep IN=IN > OUT=t", "id IN=t > OUT=OUT")
		cfg.GetEnsembleScheduling().MaxInflightRequests = 2
		e, began := sched.NewEnsemble(cfg, s), time.Now()
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if err := e.Infer(t.Context(), ofNumber(4), func(*infer.Response) error { return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if took := time.Since(began); s.high != 2 || took != 80*ms {
			t.Errorf("up to %d at a time, %v; want 2, 80ms", s.high, took)
		}
	})
}

// Steps that wait for each other's instances go on after a timeout, as in Triton.
func TestMaxInflightRequestsGivesUpWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, cfg := &shop{ensembles: map[string]*modelconfig.ModelConfig{}}, streaming("rep IN=IN > OUT=t", "slow IN=t > OUT=OUT")
		slow := streaming("id IN=IN > OUT=OUT")
		slow.ModelTransactionPolicy = nil
		s.ensembles["slow"] = slow
		cfg.GetEnsembleScheduling().MaxInflightRequests = 1
		s.enter(1) // the only instance of id is taken for longer than anybody waits
		began := time.Now()
		go func() {
			time.Sleep(400 * time.Second)
			s.enter(-1)
		}()
		var stuck []string
		e := sched.NewEnsemble(cfg, s)
		e.Stuck = func(model string, limit int) {
			stuck = append(stuck, fmt.Sprint(model, " ", limit, " ", time.Since(began)))
		}
		got, err := answersFrom(t, s, e, ofNumber(2))
		if fmt.Sprint(stuck) != "[slow 1 5m0s]" {
			t.Errorf("stuck: %v", stuck)
		}
		if took := time.Since(began); err != nil || got != "1 2." || took != 400*time.Second+40*ms {
			t.Errorf("answers %q, %v after %v", got, err, took)
		}
		if fmt.Sprint(s.ran) != "[rep 2 id 1 id 2]" {
			t.Errorf("ran %v", s.ran)
		}
	})
}

// The steps behind a step, and the client, get the sequence that the step's response names
// (docs/triton/ensembles.md, "How a request flows"). When it names none, they get the request's own
// sequence.
func TestSequenceParametersOfSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := &shop{}, ofNumber(2)
		r.Parameters = map[string]any{"tell": true}
		r.Sequence = infer.Sequence{ID: 7, Start: true}
		var told []string
		err := sched.NewEnsemble(streaming("rep IN=IN > OUT=t", "id IN=t > OUT=OUT"), s).Infer(t.Context(), r, func(resp *infer.Response) error {
			told = append(told, fmt.Sprint(resp.Parameters))
			return nil
		})
		const want = "[map[sequence_end:false sequence_id:41 sequence_start:true] map[sequence_end:true sequence_id:42 sequence_start:false]]"
		if err != nil || fmt.Sprint(told) != want {
			t.Errorf("told %v, %v", told, err)
		}
		if got := strings.Join(s.sequences, ", "); got != "rep 2 7 true false, id 1 41 true false, id 2 42 false true" {
			t.Errorf("sequences %s", got)
		}
		r.Parameters, r.Sequence = nil, infer.Sequence{Name: "seven", End: true}
		err = sched.NewEnsemble(streaming("id IN=IN > OUT=OUT"), s).Infer(t.Context(), r, func(resp *infer.Response) error {
			told = append(told, fmt.Sprint(resp.Parameters))
			return nil
		})
		if err != nil || told[2] != "map[sequence_end:true sequence_id:seven sequence_start:false]" {
			t.Errorf("told %v, %v", told, err)
		}
	})
}

// The trace of a request has one child for each run of a step.
func TestTraceOfDecoupledSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, trace := ofNumber(2), &infer.Trace{}
		r.Trace = trace
		if _, err := answersOf(t, &shop{pace: ms}, streaming("rep IN=IN > OUT=t", "id IN=t > OUT=OUT"), r); err != nil {
			t.Fatal(err)
		}
		trace.End(nil)
		var got []string
		for _, s := range trace.Steps {
			got = append(got, fmt.Sprintf("%d:%s", s.Step, s.Model))
		}
		if fmt.Sprint(got) != "[0:rep 1:id 1:id]" {
			t.Errorf("steps %v", got)
		}
	})
}
