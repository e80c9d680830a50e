package runtimes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend/onnx/runtimes"
)

// What pip says where it reaches no index is told once, with advice that holds for the window and the terminal. A pip that tries
// once does not say that it reached none.
func TestReasonsOfPip(t *testing.T) {
	const (
		retry   = "WARNING: Retrying (Retry(total=N, connect=None)) after connection broken by 'NewConnectionError('refused')': /simple/onnxruntime/\n"
		nothing = "ERROR: Could not find a version that satisfies the requirement onnxruntime==1.30.0 (from versions: none)\nERROR: No matching distribution found for onnxruntime==1.30.0\n"
		others  = "ERROR: Could not find a version that satisfies the requirement onnxruntime==1.30.0 (from versions: 1.2.0)\nERROR: No matching distribution found for onnxruntime==1.30.0\n"
	)
	retries := ""
	for _, left := range []string{"4", "3", "2", "1", "0"} {
		retries += strings.Replace(retry, "=N", "="+left, 1)
	}
	for said, want := range map[string]string{
		retries + nothing: "the package index cannot be reached",
		nothing:           "the index that pip uses cannot be reached, or has no build for this system",
		others:            "the index that pip uses has no such version for this system",
	} {
		words := filepath.Join(t.TempDir(), "words")
		python := filepath.Join(t.TempDir(), "python")
		script := "#!/bin/sh\ncase \"$*\" in *--version*) exit 0;; esac\ncat " + words + "; exit 1\n"
		if err := os.WriteFile(words, []byte(said), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(python, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv(runtimes.PythonVariable, python)
		_, err := storeIn(t.TempDir(), probeQuick).Install(t.Context(), runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", ""), Tell: func(string) {}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ndoes not say %q", err, want)
			continue
		}
		if n := strings.Count(err.Error(), "Retrying"); n > 1 || strings.Contains(err.Error(), "conch runtime") {
			t.Errorf("pip's words are told %d times, or the advice is a command: %v", n, err)
		}
	}
}
