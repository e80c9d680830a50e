package ort

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"conch/engine/backend/onnx/onnxtest"
)

// turnsChild is set in the process that opens the library: each process has one, and other tests open others.
const turnsChild = "CONCH_TEST_TURNS"

// Sessions of a provider that takes one run at a time run one after the other. The library of this test may lack the provider: what it says does not count.
func TestProvidersThatTakeTurns(t *testing.T) {
	if os.Getenv(turnsChild) == "" {
		child := exec.Command(os.Args[0], "-test.run", "^TestProvidersThatTakeTurns$")
		child.Env = append(os.Environ(), turnsChild+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	path := onnxtest.Library(t)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "libonnxruntime.so.1")
	}
	library, err := Open(path, Threads{Intra: 1, Inter: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		add   func(*Options, map[string]string) error
		turns bool
	}{"DirectML": {(*Options).AppendDirectML, true}, "XNNPACK": {(*Options).AppendXNNPACK, false}} {
		o, err := library.NewOptions()
		if err != nil {
			t.Fatal(err)
		}
		_ = c.add(o, nil)
		if o.takeTurns != c.turns {
			t.Errorf("%s takes turns: %v", name, o.takeTurns)
		}
		o.Close()
	}
}
