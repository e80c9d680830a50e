package handover_test

import (
	"bytes"
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
	"testing"
	"time"

	"conch/app/handover"
)

// TestTritonRunsWhatIsPacked: the real server runs a model whose module is in the packed environment alone. CONCH_TRITON is a
// command that serves the repository it is given, and CONCH_PYTHON a Python of the server's version with NumPy.
func TestTritonRunsWhatIsPacked(t *testing.T) {
	command, interpreter := os.Getenv("CONCH_TRITON"), os.Getenv("CONCH_PYTHON")
	if command == "" || interpreter == "" {
		t.Skip("CONCH_TRITON and CONCH_PYTHON name no server and no Python")
	}
	text, err := exec.Command(interpreter, "-c", "import numpy, os, sys; print('%d.%d' % sys.version_info[:2], os.path.dirname(os.path.dirname(numpy.__file__)))").Output()
	if err != nil {
		t.Fatal(err)
	}
	python, packages, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	p := newPacking(t, python, "24.10")
	own := filepath.Join(p.opts.Roots[0], "doubles", ".venv", "lib", "python"+python, "site-packages")
	for _, name := range []string{"numpy", "numpy.libs"} {
		if err := os.CopyFS(filepath.Join(own, name), os.DirFS(filepath.Join(packages, name))); err != nil {
			t.Fatal(err)
		}
	}
	p.opts.Target = handover.TritonServer
	var told strings.Builder
	// Anyway: the server is not the image of a release and may have another Python.
	out := handover.Output{Dir: p.out, Anyway: true, Files: io.Discard, Told: &told}
	if err := handover.Run(t.Context(), p.opts, out); err != nil {
		t.Fatal(err, told.String())
	}
	t.Log(told.String())
	address := served(t, command, filepath.Join(p.opts.Pack, "models"))
	answer := asked(t, address, `{"inputs": [{"name": "IN", "datatype": "FP32", "shape": [1, 4], "data": [1, 2, 3, 4]}]}`)
	if !strings.Contains(answer, `"data":[2.0,4.0,6.0,8.0]`) {
		t.Error(answer)
	}
}

// served starts the server and returns the address of its HTTP.
func served(t *testing.T, command, repository string) string {
	t.Helper()
	words := append(strings.Fields(command), repository)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env = &log, &log, os.Environ()
	var address string
	for _, name := range []string{"METRICS_PORT", "GRPC_PORT", "HTTP_PORT"} {
		held, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = held.Close() }()
		address = held.Addr().String()
		_, port, _ := net.SplitHostPort(address)
		cmd.Env = append(cmd.Env, name+"="+port)
		_ = held.Close()
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	return address
}

// asked is what the model answers, once the server is there.
func asked(t *testing.T, address, body string) string {
	t.Helper()
	var last error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Second) {
		answer, err := http.Post(fmt.Sprintf("http://%s/v2/models/doubles/infer", address), "application/json", strings.NewReader(body))
		if err != nil {
			last = err
			continue
		}
		text, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err == nil && answer.StatusCode == http.StatusOK {
			return string(text)
		}
		last = fmt.Errorf("%s: %s (%w)", answer.Status, text, errors.Join(err, io.EOF))
	}
	t.Fatal(last)
	return ""
}
