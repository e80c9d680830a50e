//go:build unix

package app_test

import (
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"conch/app"
	"conch/app/api"
	. "conch/app/apptest"
)

// TestTriton shows the real server, which $CONCH_TRITON starts on the examples: it tells its version and
// each model with its state, and the reason where one failed.
func TestTriton(t *testing.T) {
	command := os.Getenv("CONCH_TRITON")
	if command == "" {
		t.Skip("$CONCH_TRITON names no command that starts the real server")
	}
	addresses := [3]string{FreePort(t), FreePort(t), FreePort(t)}
	cmd := exec.Command(command, CopyExamples(t), "--exit-on-error=false", "--strict-readiness=false")
	cmd.Env = os.Environ()
	for i, name := range []string{"HTTP_PORT", "GRPC_PORT", "METRICS_PORT"} {
		_, port, _ := net.SplitHostPort(addresses[i])
		cmd.Env = append(cmd.Env, name+"="+port)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	w := OpenWith(t, app.Options{})
	attach(t, w, addresses[1], &Peer{Metrics: addresses[2]})
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
