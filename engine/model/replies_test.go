package model_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/infer"
	"conch/engine/model"
)

const decoupled = "model_transaction_policy { decoupled: true }\n"

// later makes a version whose requests are answered through the responders in the channel.
func later(t *testing.T, config string) (*model.Version, <-chan backend.Responder) {
	t.Helper()
	open := make(chan backend.Responder, 10)
	v, err := load(&fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, b *backend.Batch) {
		for i := range b.Requests {
			open <- b.Later(i)
		}
	}}, folder(t, config, nil))
	if err != nil {
		t.Fatal(err)
	}
	return v, open
}

// send sends a request; the channel gets its error.
func send(ctx context.Context, t *testing.T, v *model.Version, sink infer.Sink) <-chan error {
	t.Helper()
	if !v.Enter() {
		t.Fatal("the version drains already")
	}
	ended := make(chan error, 1)
	go func() {
		defer v.Leave()
		ended <- v.Infer(ctx, item("a"), sink)
	}()
	return ended
}

// A request whose answers come after its execution counts as a success when the execution has ended, even if the request fails
// later. Triton 24.10 does so with a decoupled Python model that answers from a thread.
func TestCountsOfLateAnswers(t *testing.T) {
	broke := errors.New("broke")
	for name, c := range map[string]struct {
		end  func(p backend.Responder, cancel func())
		want error
	}{
		"answered":  {func(p backend.Responder, _ func()) { _ = p.Send(&infer.Response{Final: true}) }, nil},
		"failed":    {func(p backend.Responder, _ func()) { p.Fail(broke) }, broke},
		"cancelled": {func(_ backend.Responder, cancel func()) { cancel() }, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v, open := later(t, batched+decoupled+"dynamic_batching {}")
				ctx, cancel := context.WithCancel(t.Context())
				got := 0
				ended := send(ctx, t, v, func(*infer.Response) error { got++; return nil })
				synctest.Wait()
				first := v.Counters().Snapshot()
				time.Sleep(time.Second)
				p := <-open
				_ = p.Send(&infer.Response{})
				c.end(p, cancel)
				err := <-ended
				if (err == nil) != (c.want == nil) || got == 0 {
					t.Errorf("ended with %v after %d answers", err, got)
				}
				last := v.Counters().Snapshot()
				if first.Success != 1 || first.Executions != 1 || first.Inferences != 1 || first.RequestNs >= uint64(time.Second) {
					t.Errorf("when the execution has ended: %+v", first)
				}
				if last.Success != 1 || last.Failed() != 0 || last.RequestNs != first.RequestNs || last.Inferences != 1 {
					t.Errorf("in the end: %d successes, %d failures, %d ns", last.Success, last.Failed(), last.RequestNs)
				}
				cancel()
				if err := v.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A request whose answer is too large for its client counts as a success, be it that the answer comes while it executes or after that.
func TestCountsOfAnswersThatAreTooLarge(t *testing.T) {
	for _, late := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			v, err := load(&fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, b *backend.Batch) {
				p := b.Later(0)
				send := func() { _ = p.Send(&infer.Response{}) }
				if late {
					time.AfterFunc(time.Second, send)
					return
				}
				send()
				time.Sleep(time.Second) // the request has ended meanwhile
			}}, folder(t, batched+decoupled+"dynamic_batching {}", nil))
			if err != nil {
				t.Fatal(err)
			}
			full := infer.Errorf(infer.Unavailable, "too large")
			if err := <-send(t.Context(), t, v, func(*infer.Response) error { return infer.TooLarge(full) }); !errors.Is(err, full) {
				t.Errorf("ended with %v", err)
			}
			if err := v.Close(); err != nil {
				t.Error(err)
			}
			if got := v.Counters().Snapshot(); got.Success != 1 || got.Failed() != 0 || got.Inferences != 1 || got.Executions != 1 {
				t.Errorf("late %v: %d successes, %d failures, %d inferences in %d executions", late, got.Success, got.Failed(), got.Inferences, got.Executions)
			}
		})
	}
}

// A trial whose answer comes after its execution is counted nowhere either.
func TestLateAnswerOfATrial(t *testing.T) {
	v, open := later(t, batched+decoupled)
	r := item("a")
	r.Trial = true
	ended := make(chan error, 1)
	go func() { ended <- v.Infer(t.Context(), r, func(*infer.Response) error { return nil }) }()
	_ = (<-open).Send(&infer.Response{Final: true})
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if s := v.Counters().Snapshot(); s.Success+s.Executions+s.Inferences+s.Clients.Success > 0 {
		t.Errorf("counted %+v", s)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// A request that fails before its execution has ended counts as a failure, by whatever method the backend failed it.
func TestFailureBeforeTheExecutionEnds(t *testing.T) {
	v, err := load(&fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, b *backend.Batch) {
		b.Later(0)
		b.FailAll(errors.New("broke"))
	}}, folder(t, batched+decoupled, nil))
	if err != nil {
		t.Fatal(err)
	}
	err = <-send(t.Context(), t, v, func(*infer.Response) error { return nil })
	if s := v.Counters().Snapshot(); err == nil || err.Error() != "broke" || s.Success != 0 || s.Failed() != 1 {
		t.Errorf("error %v, %d successes, %d failures", err, s.Success, s.Failed())
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// A failed batch counts as an execution, unless its backend says that it is none. The request counts as a failure in both cases.
func TestFailedBatchesCountAsTheBackendSays(t *testing.T) {
	for want, uncounted := range map[uint64]bool{0: true, 1: false} {
		v, err := load(&fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, b *backend.Batch) {
			if uncounted {
				b.Uncounted()
			}
			b.FailAll(errors.New("broke"))
		}}, folder(t, batched, nil))
		if err != nil {
			t.Fatal(err)
		}
		err = <-send(t.Context(), t, v, func(*infer.Response) error { return nil })
		if s := v.Counters().Snapshot(); err == nil || s.Executions != want || s.Failed() != 1 || len(s.Batches) != int(want) {
			t.Errorf("error %v, %d executions, %d failures, batches %v; want %d", err, s.Executions, s.Failed(), s.Batches, want)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An unload waits for late answers as long as they come, but not for ever.
func TestUnloadWaitsForLateAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, open := later(t, batched+decoupled)
		ended := send(t.Context(), t, v, func(*infer.Response) error { return nil })
		p := <-open
		go func() {
			for range 5 {
				time.Sleep(50 * time.Second)
				_ = p.Send(&infer.Response{})
			}
		}()
		began := time.Now()
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		took := time.Since(began)
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "m_0_0 does not answer and was given up") {
			t.Errorf("ended with %v", err)
		}
		if took < 250*time.Second || took > 13*time.Minute {
			t.Errorf("the unload took %v", took)
		}
		if err := p.Send(&infer.Response{Final: true}); err == nil || p.Context().Err() == nil {
			t.Error("an answer was taken after the end")
		}
	})
}

// A client that takes no more answers does not keep an unload from its end.
func TestUnloadWithAClientThatDoesNotRead(t *testing.T) {
	for name, final := range map[string]bool{"of many answers": false, "of the last": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v, open := later(t, batched+decoupled)
				reads := make(chan struct{})
				ended := send(t.Context(), t, v, func(*infer.Response) error { <-reads; return nil })
				p := <-open
				go func() { _ = p.Send(&infer.Response{Final: final}) }()
				synctest.Wait()
				began := time.Now()
				err := v.Close()
				if err == nil || err.Error() != "1 clients of model 'm' version 1 do not take their answers and were given up" {
					t.Errorf("close: %v", err)
				}
				if took := time.Since(began); took > 70*time.Second {
					t.Errorf("the unload took %v", took)
				}
				close(reads)
				if err := <-ended; (err == nil) != final {
					t.Errorf("the client that reads on: %v", err)
				}
			})
		})
	}
}

// Requests that keep a version, and wait for others, do not keep an unload from its end. What they keep is freed when they leave.
func TestUnloadWithRequestsThatWait(t *testing.T) {
	for name, want := range map[string]string{
		"behind a client that does not read": "1 clients of model 'm' version 1 do not take their answers and were given up",
		"for another model":                  "1 requests that keep model 'm' version 1 for an ensemble run or wait elsewhere and were given up",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				open, b := make(chan backend.Responder, 1), &fake.Backend{}
				b.OnExecute = func(_ context.Context, _ backend.Spec, b *backend.Batch) { open <- b.Later(0) }
				v, err := load(b, folder(t, batched+decoupled, nil))
				if err != nil || !v.Enter() {
					t.Fatal("the version cannot be entered", err)
				}
				reads, ended := make(chan struct{}), make(chan error, 1)
				ended <- nil
				if strings.HasPrefix(name, "behind") {
					<-ended
					first := send(t.Context(), t, v, func(*infer.Response) error { <-reads; return nil })
					p := <-open
					go func() { _ = p.Send(&infer.Response{Final: true}) }()
					go func() { ended <- <-first }()
				}
				began := time.Now()
				closed := make(chan error, 1)
				go func() { closed <- v.Close() }()
				select {
				case err := <-closed:
					if took := time.Since(began); err == nil || err.Error() != want || took > 75*time.Second {
						t.Errorf("closed after %v: %v", took, err)
					}
				case <-time.After(time.Hour):
					t.Error("the unload does not end")
				}
				if b.Models.Load() != 1 {
					t.Error("the model is freed while requests keep it")
				}
				close(reads)
				if err := <-ended; err != nil {
					t.Error(err)
				}
				v.Leave()
				synctest.Wait()
				if b.Models.Load() != 0 {
					t.Error("the model is not freed after the last request")
				}
			})
		})
	}
}

// An unload waits for a client that is slow, and reads.
func TestUnloadWaitsForASlowClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, open := later(t, batched+decoupled)
		ended := send(t.Context(), t, v, func(*infer.Response) error { time.Sleep(50 * time.Second); return nil })
		p := <-open
		go func() {
			for i := range 5 {
				_ = p.Send(&infer.Response{Final: i == 4})
			}
		}()
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// A model that is not decoupled may answer late too: once.
func TestLateAnswerOfAnOrdinaryModel(t *testing.T) {
	v, open := later(t, batched)
	ended := send(t.Context(), t, v, func(r *infer.Response) error {
		if !r.Final {
			t.Error("its only answer is not final")
		}
		return nil
	})
	p := <-open
	if err := p.Send(&infer.Response{}); err != nil {
		t.Error(err)
	}
	if err := p.Send(&infer.Response{}); err == nil {
		t.Error("a second answer was taken")
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// A warm-up waits for late answers, and its runs count once.
func TestWarmUpOfAModelThatAnswersLater(t *testing.T) {
	v, err := load(&fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, b *backend.Batch) {
		for i := range b.Requests {
			p := b.Later(i)
			go func() { _ = p.Send(&infer.Response{Final: true}) }()
		}
	}}, folder(t, batched+decoupled+`model_warmup [{ name: "w" batch_size: 2
inputs { key: "IN" value: { data_type: TYPE_FP32 dims: [2] zero_data: true } } }]`, nil))
	if err != nil {
		t.Fatal(err)
	}
	if s := v.Counters().Snapshot(); s.Success != 2 || s.Inferences != 2 || s.Executions != 1 {
		t.Errorf("%d successes, %d inferences, %d executions", s.Success, s.Inferences, s.Executions)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}
