package model_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/backend/fake"
)

// A version is ready when all of its instances say so, within five seconds.
func TestReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		answer := func(context.Context) error { return nil }
		b := &fake.Backend{OnReady: func(ctx context.Context) error {
			asked.Add(1)
			return answer(ctx)
		}}
		v, err := load(b, folder(t, fakeModel+"instance_group { count: 2 kind: KIND_CPU }", nil))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = v.Close() }()
		if !v.Ready(t.Context()) || asked.Load() != 2 {
			t.Errorf("not ready, %d instances were asked", asked.Load())
		}
		answer = func(context.Context) error {
			if asked.Load()%2 == 0 {
				return errors.New("one of two")
			}
			return nil
		}
		if v.Ready(t.Context()) {
			t.Error("ready, although an instance is not")
		}
		answer = func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		began := time.Now()
		if v.Ready(t.Context()) || time.Since(began) != 5*time.Second {
			t.Errorf("an instance that does not answer: after %v", time.Since(began))
		}
	})
}
