package model_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/infer"
)

// mortals is a backend whose instances can be killed.
type mortals struct {
	fake.Backend
	mu       sync.Mutex // guards what follows
	made     int
	refuse   error // of the next instance
	executed []*fake.Mortal
}

func newMortals() *mortals {
	m := &mortals{}
	m.Mortal = true
	m.OnInstance = func(backend.InstanceSpec) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.made++
		return m.refuse
	}
	m.OnExecute = func(ctx context.Context, _ backend.Spec, b *backend.Batch) {
		in := fake.Killable(ctx)
		m.mu.Lock()
		m.executed = append(m.executed, in)
		m.mu.Unlock()
		for i, r := range b.Requests {
			switch r.ID {
			case "dies":
				in.Kill(errors.New("signal: killed"))
				b.Fail(i, errors.New("died at work"))
			case "later":
				b.Later(i)
			default:
				b.Respond(i, &infer.Response{Final: true})
			}
		}
	}
	return m
}

func (m *mortals) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.made
}

func (m *mortals) refuseNext(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refuse = err
}

// A model's only instance dies. Its open and waiting requests are answered. Until it runs again, requests get an error with
// the reason. Conch tries to start it again after growing delays, and then it serves.
func TestAnInstanceThatDiesIsMadeAnew(t *testing.T) {
	for name, config := range map[string]string{"direct": batched + decoupled, "dynamic": batched + decoupled + "dynamic_batching {}"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMortals()
				v, err := load(m, folder(t, config, nil))
				if err != nil {
					t.Fatal(err)
				}
				ask := func(id string) error {
					return v.Infer(t.Context(), item(id), func(*infer.Response) error { return nil })
				}
				open := make(chan error, 1)
				go func() { open <- ask("later") }()
				synctest.Wait()
				m.refuseNext(errors.New("no such program"))
				if err := ask("dies"); err == nil || err.Error() != "died at work" {
					t.Errorf("the one in it: %v", err)
				}
				synctest.Wait()
				if err := <-open; err == nil || err.Error() != "model instance m_0_0 died: signal: killed" {
					t.Errorf("the one that waits: %v", err)
				}
				const why = "model instance m_0_0 died: signal: killed. Conch starts it again after 1 second"
				if err := ask("a"); infer.CodeOf(err) != infer.Unavailable || err.Error() != why {
					t.Errorf("one that comes then: %v", err)
				}
				if got, down := v.Trouble(); got != why || !down {
					t.Errorf("trouble %q, down: %v", got, down)
				}
				if wait := time.Until(v.Begins()); wait != time.Second {
					t.Errorf("it is made again in %v", wait)
				}
				time.Sleep(64 * time.Second) // 1, 2, 4, 8, 16, 32 seconds, and a moment
				if got, _ := v.Trouble(); m.count() != 1+6 || !strings.Contains(got, "does not start: no such program. Conch tries again after 1 minute") {
					t.Errorf("%d were made; trouble %q", m.count(), got)
				}
				m.refuseNext(nil)
				time.Sleep(time.Minute)
				if err := ask("a"); err != nil {
					t.Error(err)
				}
				if got, down := v.Trouble(); got != "" || down || !v.Begins().IsZero() {
					t.Errorf("trouble %q, down: %v, made again at %v", got, down, v.Begins())
				}
				if err := v.Close(); err != nil || m.Instances.Load() != 0 {
					t.Errorf("close: %v, %d instances are left", err, m.Instances.Load())
				}
			})
		})
	}
}

// A client that takes no more answers does not keep an instance dead.
func TestAnInstanceIsMadeAnewBesideAClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, reads := newMortals(), make(chan struct{})
		dies := m.OnExecute
		m.OnExecute = func(ctx context.Context, s backend.Spec, b *backend.Batch) {
			if b.Requests[0].ID != "streams" {
				dies(ctx, s, b)
				return
			}
			p := b.Later(0)
			go func() { _ = p.Send(&infer.Response{}) }()
		}
		v, err := load(m, folder(t, batched+decoupled, nil))
		if err != nil {
			t.Fatal(err)
		}
		open := make(chan error, 1)
		go func() {
			open <- v.Infer(t.Context(), item("streams"), func(*infer.Response) error { <-reads; return nil })
		}()
		synctest.Wait()
		ignore := func(*infer.Response) error { return nil }
		_ = v.Infer(t.Context(), item("dies"), ignore)
		time.Sleep(2 * time.Second)
		if err := v.Infer(t.Context(), item("a"), ignore); err != nil || m.count() != 2 {
			t.Errorf("after two seconds: %v; %d were made", err, m.count())
		}
		close(reads)
		if err := <-open; err == nil || err.Error() != "model instance m_0_0 died: signal: killed" {
			t.Errorf("the client that reads on: %v", err)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Other instances continue, and the model serves.
func TestOtherInstancesGoOnWhenOneDies(t *testing.T) {
	two := strings.Replace(batched, "count: 1", "count: 2", 1)
	for name, config := range map[string]string{"direct": two, "dynamic": two + "dynamic_batching {}"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMortals()
				v, err := load(m, folder(t, config, nil))
				if err != nil {
					t.Fatal(err)
				}
				ask := func(id string) error {
					return v.Infer(t.Context(), item(id), func(*infer.Response) error { return nil })
				}
				m.refuseNext(errors.New("no such program"))
				_ = ask("dies")
				synctest.Wait()
				for range 10 {
					if err := ask("a"); err != nil {
						t.Error(err)
					}
				}
				if why, down := v.Trouble(); why == "" || down {
					t.Errorf("trouble %q, down: %v", why, down)
				}
				m.refuseNext(nil)
				time.Sleep(time.Minute)
				if why, _ := v.Trouble(); why != "" {
					t.Errorf("trouble %q", why)
				}
				if err := v.Close(); err != nil || m.Instances.Load() != 0 {
					t.Errorf("close: %v, %d instances are left", err, m.Instances.Load())
				}
			})
		})
	}
}

// A model whose instance is dead can be unloaded.
func TestUnloadWhileAnInstanceIsDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMortals()
		v, err := load(m, folder(t, batched, nil))
		if err != nil {
			t.Fatal(err)
		}
		_ = v.Infer(t.Context(), item("dies"), func(*infer.Response) error { return nil })
		synctest.Wait()
		if err := v.Close(); err != nil || m.Instances.Load() != 0 || m.Models.Load() != 0 {
			t.Errorf("close: %v, %d instances and %d models are left", err, m.Instances.Load(), m.Models.Load())
		}
	})
}
