package faults_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/engine/backend/onnx/onnxtest"
)

// endless is a warm-up that does not come to an end, and crowded more instances than a load makes in minutes.
const (
	endless = `backend: "onnxruntime" max_batch_size: 8
model_warmup [{ name: "w" batch_size: 1 count: 4294967295 inputs { key: "X" value { data_type: TYPE_INT32 dims: [1] zero_data: true } } }]
`
	crowded = "backend: \"onnxruntime\" max_batch_size: 8 instance_group [{ count: %d kind: KIND_CPU }]\n"
	plain   = "backend: \"onnxruntime\" max_batch_size: 8\n"
)

// TestConfigsBeyondReason saves configs whose load takes for ever, or more memory than there is. The model before it serves, the
// others answer and follow their files, each save is taken back by the next one, and what cannot be held is refused in words.
func TestConfigsBeyondReason(t *testing.T) {
	f := begin(t)
	repository := t.TempDir()
	for _, name := range []string{"m", "other"} {
		write(t, repository, name+"/1/model.onnx", adder(0))
		write(t, repository, name+"/config.pbtxt", []byte(plain))
	}
	s := serve(t, repository, "--model-control-mode=poll", "--repository-poll-secs=1", "--model-load-thread-count=1")
	for n := range f.rounds(3) {
		for _, config := range []string{endless, fmt.Sprintf(crowded, 1_000_000), fmt.Sprintf(crowded, 100_000_000)} {
			write(t, repository, "m/config.pbtxt", []byte(config))
			f.throw("configs beyond reason", 1)
			if strings.Contains(config, "100000000") {
				s.untilLogged(t, n, "cannot have 100000000 instances: they take 381 GiB at the least")
			} else {
				<-time.After(300 * time.Millisecond) // somewhere inside the load
			}
			if _, err := s.add(t.Context(), "m", 1); err != nil {
				f.lose("the answer of what served before: %v", err)
			}
		}
		write(t, repository, "m/1/model.onnx", adder(int32(n)))
		write(t, repository, "m/config.pbtxt", []byte(plain))
		s.untilAnswers(t, "m", int32(n))
		write(t, repository, "other/1/model.onnx", adder(int32(n)))
		s.untilAnswers(t, "other", int32(n))
	}
	if size := (&memory{fault: f, t: t, server: s}).status("VmHWM"); size > 2<<30 {
		t.Errorf("it holds %d MB", size>>20)
	}
}

// untilAnswers waits until a model answers as the n-th that was written.
func (s *server) untilAnswers(t *testing.T, model string, n int32) {
	t.Helper()
	limit := time.Now().Add(time.Minute)
	for {
		got, err := s.add(t.Context(), model, 1)
		if err == nil && got == n {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("%s answers %d, %v; want %d\n%s", model, got, err, n, s.log.tail())
		}
	}
}

// TestEndIsBounded ends an engine in the middle of what takes long, by each signal: a start that does not come to an end, a reload that
// does not, a request that does not. It is gone within its exit timeout.
func TestEndIsBounded(t *testing.T) {
	f := begin(t)
	for n := range f.rounds(3) {
		for name, busy := range map[string]func(t *testing.T, repository string) (begun string){
			"a warm-up at the start": func(t *testing.T, repository string) string {
				write(t, repository, "m/config.pbtxt", []byte(endless))
				return "loading: m:1"
			},
			"instances at the start": func(t *testing.T, repository string) string {
				write(t, repository, "m/config.pbtxt", fmt.Appendf(nil, crowded, 1_000_000))
				return "loading: m:1"
			},
			"nothing": func(t *testing.T, repository string) string {
				write(t, repository, "m/config.pbtxt", []byte(plain))
				return "successfully loaded"
			},
		} {
			end := []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT}[n%3]
			repository := t.TempDir()
			write(t, repository, "m/1/model.onnx", adder(0))
			begun := busy(t, repository)
			s := launch(t, repository, "--exit-timeout-secs=1")
			s.untilLogged(t, 1, begun)
			<-time.After(100 * time.Millisecond) // into the load
			at := time.Now()
			must(t, s.cmd.Process.Signal(end))
			f.throw("ends", 1)
			select {
			case <-s.ended:
			case <-time.After(10 * time.Second):
				t.Fatalf("%s: it does not end after %v\n%s", name, end, s.log.tail())
			}
			if took := time.Since(at); took > 3*time.Second { // its second, its last words, and a busy machine
				f.lose("%s: the end took %v", name, took)
			}
			if status := s.cmd.ProcessState.ExitCode(); status != 0 {
				t.Errorf("%s: exit status %d after %v\n%s", name, status, end, s.log.tail())
			}
		}
	}
}

// launch starts an engine that need not become ready, nor end well.
func launch(t *testing.T, repository string, flags ...string) *server {
	t.Helper()
	s := &server{log: &lockedBuffer{}, ended: make(chan struct{})}
	s.cmd = exec.Command(program, append([]string{"serve", "--model-repository=" + repository, "--allow-http=false",
		"--allow-metrics=false", "--grpc-port=0"}, flags...)...)
	s.cmd.Env = append(os.Environ(), "CONCH_DATA_DIR="+t.TempDir(), "CONCH_ONNXRUNTIME="+onnxtest.Library(t))
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	// Under nohup this process ignores the hangup, and its children would inherit that. A signal that is
	// caught here is not ignored there.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	must(t, s.cmd.Start())
	go func() {
		_ = s.cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		<-s.ended
	})
	return s
}
