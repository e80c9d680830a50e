//go:build unix

package app_test

import (
	"testing"

	"conch/app"
	"conch/app/api"
	. "conch/app/apptest"
	"conch/build/realtriton"
)

// triton starts the real server.
func triton(t *testing.T, repository string, flags ...string) *Peer {
	t.Helper()
	s := realtriton.Start(t, repository, append([]string{"--exit-on-error=false", "--strict-readiness=false"}, flags...)...)
	return &Peer{HTTP: s.HTTP, GRPC: s.GRPC, Metrics: s.Metrics}
}

// TestTriton shows the real server: it tells its version and each model with its state, and the reason
// where one failed.
func TestTriton(t *testing.T) {
	p := triton(t, CopyExamples(t))
	w := OpenWith(t, app.Options{})
	attach(t, w, p.GRPC, p)
	s := w.Until(t, "the server tells what it is", func(s *Snapshot) bool {
		return s.Engine.GetRemote().GetVersion() != "" && len(s.Models) > 0
	})
	for name, m := range s.Models {
		if m.State == api.ModelState_MODEL_STATE_UNSPECIFIED || m.State == api.ModelState_MODEL_STATE_FAILED && m.Reason == "" {
			t.Errorf("%s is %v", name, m)
		}
		t.Logf("%s: %v %s", name, m.State, m.Reason)
	}
}
