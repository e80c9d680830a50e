package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/infer"
)

// The state of a model says why its instances do not run, and watchers get it. When all instances have died, neither
// the model nor the server is ready until one runs again.
func TestStateOfAModelWhoseInstancesDie(t *testing.T) {
	b := &fake.Backend{Mortal: true, OnExecute: func(ctx context.Context, _ backend.Spec, batch *backend.Batch) {
		fake.Killable(ctx).Kill(errors.New("signal: killed"))
		batch.FailAll(errors.New("died at work"))
	}}
	dir := controltest.New(t, 1)
	dir.Write(t, "m/config.pbtxt", config+"instance_group [{ count: 2 kind: KIND_CPU }]")
	dir.Write(t, "m/1/model.fake", "one")
	dir.Look()
	synctest.Test(t, func(t *testing.T) {
		e := engine.New(engine.Options{
			Options:  control.Options{Models: dir, Mode: control.Explicit, LoadModels: []string{"*"}},
			Backends: []backend.Backend{b}, PlainTimers: true,
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- e.Run(ctx) }()
		<-e.Started()
		w := e.Manager().Watch()
		state := func() string {
			synctest.Wait()
			ready, _ := e.ModelReady(t.Context(), "m", infer.Latest)
			row, status := e.Index(false)[0], ""
			if s, ok := e.Manager().Status("m"); ok {
				status = string(s.Versions[0].State)
			}
			return fmt.Sprint(row.State, " ", row.Reason, " ", status, " ", ready, e.Ready(t.Context()))
		}
		want := func(text string) {
			t.Helper()
			if got := state(); got != text {
				t.Errorf("the state is %q, want %q", got, text)
			}
		}
		want("READY  READY true true")
		_ = e.Infer(t.Context(), request("m", 1), ignore)
		want("READY model instance m_0_0 died: signal: killed. Conch starts it again after 1 second READY true true")
		_ = e.Infer(t.Context(), request("m", 1), ignore)
		want("UNAVAILABLE model instance m_0_1 died: signal: killed. Conch starts it again after 1 second UNAVAILABLE false false")
		time.Sleep(2 * time.Second)
		want("READY  READY true true")
		if news, err := w.Next(ctx); err != nil || len(news.Models) == 0 || !news.Server {
			t.Errorf("watchers were told %+v, %v", news, err)
		}
		w.Close()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
