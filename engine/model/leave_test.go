package model_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/infer"
	"conch/engine/model"
)

// loadUntil loads a model until ctx ends.
func loadUntil(ctx context.Context, b backend.Backend, src model.Source) (*model.Version, error) {
	l := &model.Loader{Backends: map[string]backend.Backend{b.Name(): b}, Log: slog.New(slog.DiscardHandler)}
	p, err := l.Define(src)
	if err != nil {
		return nil, err
	}
	return l.Load(ctx, p, model.VersionDir{Number: 1, Dir: src.Dir + "/1"}, func(string) {})
}

// A cancelled load has five seconds to return. Then it is given up, and it is freed when it returns.
func TestLoadThatDoesNotComeBack(t *testing.T) {
	src := folder(t, fakeModel, nil)
	synctest.Test(t, func(t *testing.T) {
		begun, back := make(chan struct{}), make(chan struct{})
		b := &fake.Backend{OnLoad: func(context.Context, backend.Spec) error {
			close(begun)
			<-back
			return nil
		}}
		deaf := deafBackend{b}
		ctx, giveUp := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := loadUntil(ctx, deaf, src)
			ended <- err
		}()
		<-begun
		giveUp()
		at := time.Now()
		if err := <-ended; infer.CodeOf(err) != infer.Cancelled || !strings.Contains(err.Error(), "does not return") {
			t.Errorf("load = %v", err)
		}
		if took := time.Since(at); took != 5*time.Second {
			t.Errorf("it was waited for %v, want 5s", took)
		}
		close(back)
		synctest.Wait()
		if n, m := b.Models.Load(), b.Instances.Load(); b.Loads.Load() != 1 || n != 0 || m != 0 {
			t.Errorf("%d models and %d instances were not freed", n, m)
		}
	})
}

// deafBackend ignores its context.
type deafBackend struct{ *fake.Backend }

func (d deafBackend) Load(_ context.Context, spec backend.Spec) (backend.Model, error) {
	return d.Backend.Load(context.Background(), spec)
}

// When a load is cancelled, the warm-up ends after the current request, and no further instances are made.
func TestGivenUpWarmUp(t *testing.T) {
	for name, extra := range map[string]string{
		"requests":  "model_warmup [{ name: \"w\" batch_size: 1 count: 4294967295 inputs { key: \"IN\" value: { data_type: TYPE_FP32 dims: [2] zero_data: true } } }]",
		"instances": "model_warmup [{ name: \"w\" batch_size: 1 inputs { key: \"IN\" value: { data_type: TYPE_FP32 dims: [2] zero_data: true } } }] instance_group [{ count: 1000 }]",
	} {
		t.Run(name, func(t *testing.T) {
			ctx, giveUp := context.WithCancelCause(t.Context())
			runs := 0
			b := &fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, batch *backend.Batch) {
				if runs++; runs == 5 {
					giveUp(errors.New("nobody wants it"))
				}
				for i := range batch.Requests {
					batch.Respond(i, &infer.Response{Final: true})
				}
			}}
			_, err := loadUntil(ctx, b, folder(t, fakeModel+extra, nil))
			if infer.CodeOf(err) != infer.Cancelled || runs != 5 {
				t.Errorf("load = %v after %d runs, want it cancelled after 5", err, runs)
			}
			if n, m := b.Models.Load(), b.Instances.Load(); n != 0 || m != 0 {
				t.Errorf("%d models and %d instances were not freed", n, m)
			}
		})
	}
}
