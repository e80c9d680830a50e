package serve_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"conch/engine/serve"
)

// Triton opens a warm-up file outside of the model's folder. Conch does so only with the flag.
func TestAllowExternalPaths(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("12345678"), 0o600); err != nil {
		t.Fatal(err)
	}
	for allowed, want := range map[bool]int{false: http.StatusBadRequest, true: http.StatusOK} {
		p := launch(t, func(f *serve.Flags) { f.LoadModel, f.ExternalPaths = nil, allowed }, map[string]string{"a": "one"})
		away, err := filepath.Rel(filepath.Join(p.dir.Roots[0], "a", "warmup"), secret)
		if err != nil {
			t.Fatal(err)
		}
		p.dir.Write(t, "a/config.pbtxt", config+`model_warmup { name: "w" batch_size: 1 inputs { key: "IN" value { data_type: TYPE_FP32 dims: [2] input_data_file: "`+away+`" } } }`)
		p.dir.Write(t, "a/warmup/own", "")
		p.dir.Look()
		if code, said := post(t, p.addresses(t).HttpAddress, "/v2/repository/models/a/load", "{}", func(*http.Request) {}); code != want {
			t.Errorf("allowed %v: %d %s", allowed, code, said)
		}
		p.stop(t)
	}
}
