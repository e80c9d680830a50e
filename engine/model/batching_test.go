package model_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/metrics"
	"conch/engine/model"
	"conch/engine/tensor"
)

const batched = fakeModel + "max_batch_size: 4 instance_group [{ count: 1 kind: KIND_CPU }]\n"

// slow is a backend whose executions take a second.
func slow(batch *backend.Batch) {
	time.Sleep(time.Second)
	answerAll(batch)
}

func answerAll(batch *backend.Batch) {
	for i, r := range batch.Requests {
		out := r.Inputs[0]
		out.Name = "OUT"
		batch.Respond(i, &infer.Response{Final: true, Outputs: []tensor.Tensor{out}})
	}
}

func item(id string) *infer.Request {
	return &infer.Request{ID: id, Inputs: []tensor.Tensor{{Name: "IN", Type: tensor.FP32, Shape: tensor.Shape{1, 2}, Data: make([]byte, 8)}}}
}

// observed is what a version made of requests that came together.
type observed struct {
	errs   map[string]error
	took   map[string]time.Duration
	counts metrics.Snapshot
}

// sendTo runs requests that come one after the other, and closes the version.
func sendTo(t *testing.T, v *model.Version, requests ...*infer.Request) observed {
	t.Helper()
	o, began := observed{errs: map[string]error{}, took: map[string]time.Duration{}}, time.Now()
	var mu sync.Mutex // guards o
	var all sync.WaitGroup
	for _, r := range requests {
		all.Go(func() {
			err := v.Infer(t.Context(), r, func(*infer.Response) error { return nil })
			mu.Lock()
			defer mu.Unlock()
			o.errs[r.ID], o.took[r.ID] = err, time.Since(began)
		})
		synctest.Wait()
	}
	all.Wait()
	o.counts = v.Counters().Snapshot()
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	return o
}

// loadSlow makes a version of a config whose executions take a second.
func loadSlow(t *testing.T, config string) *model.Version {
	t.Helper()
	v, err := load(&fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, b *backend.Batch) { slow(b) }}, folder(t, config, nil))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A request that a full queue refuses is counted nowhere; one that waits too long counts as
// rejected (docs/triton/metrics.md, "What counts as what").
func TestQueuePolicyAndItsCounters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := loadSlow(t, batched+"dynamic_batching { default_queue_policy { max_queue_size: 2 default_timeout_microseconds: 100000 allow_timeout_override: true } }")
		quick := item("quick")
		quick.Timeout = 30 * time.Millisecond
		o := sendTo(t, v, item("runs"), item("late"), quick, item("refused"))
		if got := o.errs["refused"]; got == nil || got.Error() != "[request id: refused] Exceeds maximum queue size" || infer.CodeOf(got) != infer.Unavailable {
			t.Errorf("refused: %v", got)
		}
		for id, after := range map[string]time.Duration{"late": 100 * time.Millisecond, "quick": 30 * time.Millisecond} {
			if got := o.errs[id]; got == nil || got.Error() != "Request timeout expired" || o.took[id] != after {
				t.Errorf("%s: %v after %v", id, got, o.took[id])
			}
		}
		c := o.counts
		if c.Success != 1 || c.Failed() != 2 || c.Failures[metrics.Rejected] != 2 || c.Executions != 1 || c.Inferences != 1 || c.Pending != 0 {
			t.Errorf("counted %+v", c)
		}
		if c.FailNs != uint64(130*time.Millisecond) || c.RequestNs != uint64(time.Second) {
			t.Errorf("fail took %v, success %v", time.Duration(c.FailNs), time.Duration(c.RequestNs))
		}
	})
}

func TestPriorityLevelsHaveTheirOwnPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := loadSlow(t, batched+`dynamic_batching { priority_levels: 2 default_priority_level: 2
			default_queue_policy { default_timeout_microseconds: 100000 }
			priority_queue_policy { key: 1 value { default_timeout_microseconds: 200000 timeout_action: DELAY } } }`)
		first := item("first")
		first.Priority = 1
		o := sendTo(t, v, item("runs"), first, item("second"))
		if o.errs["first"] != nil || o.errs["second"] == nil || o.took["second"] != 100*time.Millisecond {
			t.Errorf("errors = %v, took = %v", o.errs, o.took)
		}
	})
}

// One execution of two requests: batch statistics count it once, inferences twice, and each request waits on its own.
func TestBatchStatistics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := loadSlow(t, batched+"dynamic_batching { preferred_batch_size: [2] }")
		o := sendTo(t, v, item("runs"), item("a"), item("b"))
		c := o.counts
		if c.Success != 3 || c.Inferences != 3 || c.Executions != 2 || c.QueueNs != uint64(2*time.Second) || c.RequestNs != uint64(5*time.Second) {
			t.Errorf("counted %+v", c)
		}
		if len(c.Batches) != 2 || c.Batches[0].Size != 1 || c.Batches[1].Size != 2 || c.Batches[1].Count != 1 {
			t.Errorf("batches %+v", c.Batches)
		}
		if c.OutputNs != uint64(3*time.Second) || c.Batches[1].OutputNs != uint64(time.Second) {
			t.Errorf("three requests took %v in all, the batch of two %v", time.Duration(c.OutputNs), time.Duration(c.Batches[1].OutputNs))
		}
	})
}

// A trial may share a batch with requests of clients: the execution counts for them, with the size that it had.
func TestTrialInABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := loadSlow(t, batched+"dynamic_batching { preferred_batch_size: [2] }")
		alone, beside := item("alone"), item("beside")
		alone.Trial, beside.Trial = true, true
		o := sendTo(t, v, alone, item("a"), beside)
		c := o.counts
		if c.Success != 1 || c.Inferences != 1 || c.Executions != 1 || c.Clients.Success != 1 || c.QueueNs != uint64(time.Second) || c.RequestNs != uint64(2*time.Second) {
			t.Errorf("counted %+v", c)
		}
		if len(c.Batches) != 1 || c.Batches[0].Size != 2 || c.Batches[0].Count != 1 {
			t.Errorf("batches %+v", c.Batches)
		}
	})
}

// Answers of a decoupled model may be kept in order too. Those that wait are counted with the requests and answers of the server.
func TestOrderOfADecoupledModel(t *testing.T) {
	for _, scheduler := range []string{
		"dynamic_batching { preserve_ordering: true }",
		"sequence_batching { oldest { preserve_ordering: true max_candidate_sequences: 4 } }",
	} {
		open, memory := make(chan backend.Responder, 2), budget.Of(10_000)
		b := &fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, b *backend.Batch) { open <- b.Later(0) }}
		v, err := loadWith(t, &model.Loader{Backends: map[string]backend.Backend{fake.Name: b}, Log: slog.New(slog.DiscardHandler), Memory: memory}, batched+decoupled+scheduler)
		if err != nil {
			t.Fatal(err)
		}
		ask := func(id uint64) (backend.Responder, <-chan error) {
			ended := make(chan error, 1)
			go func() {
				r := item("")
				r.Sequence = infer.Sequence{ID: id, Start: true, End: true}
				ended <- v.Infer(t.Context(), r, func(*infer.Response) error { return nil })
			}()
			return <-open, ended
		}
		first, firstEnded := ask(1)
		second, secondEnded := ask(2)
		answer := func() error {
			return second.Send(&infer.Response{Outputs: []tensor.Tensor{{Name: "OUT", Type: tensor.FP32, Shape: tensor.Shape{1, 500}, Data: make([]byte, 2000)}}})
		}
		if err := answer(); err != nil || memory.Used() < 2000 {
			t.Errorf("%v; %d bytes are counted", err, memory.Used())
		}
		for n := 1; err == nil && n < 10; n++ {
			err = answer()
		}
		if infer.CodeOf(err) != infer.InvalidArg || !strings.Contains(err.Error(), "Use --request-memory-limit to increase the limit") || memory.Used() != 0 || second.Context().Err() == nil {
			t.Errorf("the model is told %v; %d bytes are counted", err, memory.Used())
		}
		second.Fail(errors.New("without a bound"))
		if err := errors.Join(first.Send(&infer.Response{Final: true}), <-firstEnded); err != nil {
			t.Error(err)
		}
		if err := <-secondEnded; err == nil || !strings.Contains(err.Error(), "preserve_ordering") {
			t.Errorf("the client is told %v", err)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}
