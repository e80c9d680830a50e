package rpc

import (
	"testing"

	"conch/app/language"
	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
)

// TestListKinds: each kind has a label, a note and a first config that names its backend. Where the
// engine lacks a backend, the note says so.
func TestListKinds(t *testing.T) {
	list := kinds(func(backend string) bool { return backend == backends.Python })
	if len(list) != 3 {
		t.Fatalf("%v", list)
	}
	if note := list[1].Note; note != "runs model.py; the engine of this release does not run Python models yet: they can be edited and checked" {
		t.Errorf("Python: %q", note)
	}
	for _, k := range list {
		decoded, found := modelconfig.Parse("config.pbtxt", []byte(language.Begin("m", k.Backend)))
		if cfg := decoded.Config; diag.HasErrors(found) || cfg.Backend != k.Backend && cfg.Platform != k.Backend {
			t.Errorf("%s: the config is for backend %q and platform %q, %v", k.Label, cfg.Backend, cfg.Platform, found)
		}
		if k.Label == "" || k.Note == "" {
			t.Errorf("%v says too little", k)
		}
	}
	if first := list[0]; first.Label != "ONNX" || first.Note != "runs model.onnx" {
		t.Errorf("first is %v", first)
	}
}
