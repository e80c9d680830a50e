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

// triton starts the real server, which $CONCH_TRITON names.
func triton(t *testing.T, repository string, flags ...string) *Peer {
	t.Helper()
	command := os.Getenv("CONCH_TRITON")
	if command == "" {
		t.Skip("$CONCH_TRITON names no command that starts the real server")
	}
	p := &Peer{HTTP: FreePort(t), GRPC: FreePort(t), Metrics: FreePort(t)}
	cmd := exec.Command(command, append([]string{repository, "--exit-on-error=false", "--strict-readiness=false"}, flags...)...)
	cmd.Env = os.Environ()
	for name, address := range map[string]string{"HTTP_PORT": p.HTTP, "GRPC_PORT": p.GRPC, "METRICS_PORT": p.Metrics} {
		_, port, _ := net.SplitHostPort(address)
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
	return p
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
