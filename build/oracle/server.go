package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"conch/build/oracle/recorded"
)

// patience is how long a load may take before it counts as hanging; a Python model takes about two seconds.
const patience = 12 * time.Second

// server is a running tritonserver in explicit mode.
type server struct {
	venv, work string // the Python environment that holds it, and a folder of ours
	given      *given // takes the place of the environment's
	repository string
	cmd        *exec.Cmd
	done       chan error
	address    string
	flags      []string // of one start, over those that every server gets
	log        string
	starts     int
}

// start begins a server and waits until it is ready.
func (s *server) start(ctx context.Context) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	s.address = fmt.Sprintf("http://127.0.0.1:%d", port)
	s.starts++ // each has a log of its own: what is left of a killed one may still write
	s.log = filepath.Join(s.work, fmt.Sprintf("server-%d.log", s.starts))
	log, err := os.Create(s.log)
	if err != nil {
		return fmt.Errorf("make the log: %w", err)
	}
	defer func() { _ = log.Close() }()
	if s.cmd, err = s.command(ctx, port); err != nil {
		return err
	}
	s.cmd.Stdout, s.cmd.Stderr = log, log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", s.cmd.Path, err)
	}
	s.done = make(chan error, 1)
	go func() { s.done <- s.cmd.Wait() }()
	return s.ready(ctx)
}

// command is how the server is started, in explicit mode.
func (s *server) command(ctx context.Context, port int) (*exec.Cmd, error) {
	flags := []string{"--model-control-mode=explicit", "--backend-directory=" + filepath.Join(s.work, "backends"), "--allow-metrics=false", "--exit-timeout-secs=1"}
	if len(s.flags) == 0 {
		s.flags = []string{"--allow-grpc=false"}
	}
	flags = append(flags, s.flags...)
	if s.given != nil {
		return s.given.start(ctx, s.repository, port, flags), nil
	}
	binary, err := s.binary()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, binary, append(flags, "--model-repository="+s.repository, "--http-address=127.0.0.1",
		fmt.Sprintf("--http-port=%d", port), "--pinned-memory-pool-byte-size=0")...)
	packages := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(binary))))
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+pythonLibraries(s.venv)+":"+filepath.Join(packages, "nvidia_pytriton.libs"))
	return cmd, nil
}

// ready waits for the server's port; it opens within a second.
func (s *server) ready(ctx context.Context) error {
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		if response, err := http.Get(s.address + "/v2/health/live"); err == nil {
			_ = response.Body.Close()
			return nil
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return ctx.Err()
		case err := <-s.done:
			return fmt.Errorf("the server ended at its start (%v); see %s", err, s.log)
		}
	}
}

// stop ends the server.
func (s *server) stop() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) // and Python's stubs, some of which would stay
		<-s.done
	}
}

// load asks for a model. A server that crashes or hangs is started again.
func (s *server) load(ctx context.Context, model string) (recorded.Answer, error) {
	before, err := s.logSize()
	if err != nil {
		return recorded.Answer{}, err
	}
	status, body, err := s.ask(ctx, http.MethodPost, "/v2/repository/models/"+model+"/load")
	if err != nil {
		s.stop()
		return recorded.Answer{Died: true, Words: err.Error()}, errors.Join(ctx.Err(), s.start(ctx))
	}
	if status == http.StatusOK {
		return recorded.Answer{Taken: true}, nil
	}
	var refusal struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(body, &refusal); err != nil {
		return recorded.Answer{}, fmt.Errorf("read the answer %q: %w", body, err)
	}
	return s.explain(model, refusal.Error, before)
}

// explain finds the reason in the log where the answer only says that there is one.
func (s *server) explain(model, words string, since int64) (recorded.Answer, error) {
	log, err := os.ReadFile(s.log)
	if err != nil {
		return recorded.Answer{}, fmt.Errorf("read the log: %w", err)
	}
	if polled := pollReason(log[min(since, int64(len(log))):], model); polled != "" {
		words = polled
	}
	// As it would be said in Triton's own container.
	return recorded.Answer{Words: strings.ReplaceAll(words, filepath.Join(s.work, "backends"), "/opt/tritonserver/backends")}, nil
}

// unload takes models out, so that the next case starts from nothing.
func (s *server) unload(ctx context.Context, models []string) {
	for _, model := range models {
		_, _, _ = s.ask(ctx, http.MethodPost, "/v2/repository/models/"+model+"/unload")
	}
}

// config is a loaded model's config as its endpoint gives it.
func (s *server) config(ctx context.Context, model string) ([]byte, error) {
	status, body, err := s.ask(ctx, http.MethodGet, "/v2/models/"+model+"/config")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d: %s", status, body)
	}
	if err != nil {
		return nil, fmt.Errorf("read the config of %s: %w", model, err)
	}
	return body, nil
}

func (s *server) ask(ctx context.Context, method, path string) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, s.address+path, bytes.NewReader(nil))
	if err != nil {
		return 0, nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

func (s *server) logSize() (int64, error) {
	info, err := os.Stat(s.log)
	if err != nil {
		return 0, fmt.Errorf("find the log: %w", err)
	}
	return info.Size(), nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, errors.Join(l.Close())
}
