//go:build unix

package realtriton

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

const commandVariable = "CONCH_TRITON"

// Given reports whether there is a server to start.
func Given() bool { return os.Getenv(commandVariable) != "" }

// Server is a server that runs until its test ends.
type Server struct {
	HTTP, GRPC, Metrics string // where it listens, as host:port

	log string
}

// Start starts the server. The test is skipped where there is none.
func Start(t *testing.T, repository string, flags ...string) *Server {
	t.Helper()
	if !Given() {
		t.Skip("$" + commandVariable + " names no command that starts the real server")
	}
	s := &Server{log: filepath.Join(t.TempDir(), "tritonserver.log")}
	log, err := os.Create(s.log)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(os.Getenv(commandVariable), append([]string{repository}, flags...)...)
	cmd.Stdout, cmd.Stderr, cmd.Env = log, log, append(os.Environ(), s.choosePorts(t)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(s.Log(t))
		}
	})
	return s
}

// choosePorts finds three free ports and returns the variables that name them.
func (s *Server) choosePorts(t *testing.T) (variables []string) {
	t.Helper()
	for name, address := range map[string]*string{"HTTP_PORT": &s.HTTP, "GRPC_PORT": &s.GRPC, "METRICS_PORT": &s.Metrics} {
		held, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = held.Close() }() // after the last one is found, so that no two are the same
		*address = held.Addr().String()
		_, port, _ := net.SplitHostPort(*address)
		variables = append(variables, name+"="+port)
	}
	return variables
}

// Log is what the server has printed.
func (s *Server) Log(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(s.log)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Wait waits until a path of the HTTP service, such as /v2/health/live, is answered with 200.
func (s *Server) Wait(t *testing.T, path string) {
	t.Helper()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for range 1200 {
		if response, err := http.Get("http://" + s.HTTP + path); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		<-poll.C
	}
	t.Fatalf("%s was not answered with 200 within a minute", path)
}
