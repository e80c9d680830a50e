package handover_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/handover"
	"conch/build/realtriton"
)

// TestTritonRunsWhatIsPacked: the real server runs a model whose module is in the packed environment alone. CONCH_PYTHON
// is a Python of the server's version with NumPy.
func TestTritonRunsWhatIsPacked(t *testing.T) {
	interpreter := os.Getenv("CONCH_PYTHON")
	if !realtriton.Given() || interpreter == "" {
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
	server := realtriton.Start(t, filepath.Join(p.opts.Pack, "models"))
	answer := asked(t, server, `{"inputs": [{"name": "IN", "datatype": "FP32", "shape": [1, 4], "data": [1, 2, 3, 4]}]}`)
	if !strings.Contains(answer, `"data":[2.0,4.0,6.0,8.0]`) {
		t.Error(answer)
	}
}

// asked is what the model answers, once it is ready.
func asked(t *testing.T, server *realtriton.Server, body string) string {
	t.Helper()
	server.Wait(t, "/v2/models/doubles/ready")
	answer, err := http.Post("http://"+server.HTTP+"/v2/models/doubles/infer", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return string(text)
}
