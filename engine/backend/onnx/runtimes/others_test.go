package runtimes_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend/onnx/runtimes"
)

// A choice that cannot be kept is told with the file that keeps it, and with what to do.
func TestChoiceThatCannotBeKept(t *testing.T) {
	s := storeIn(t.TempDir(), probeQuick)
	chosen := filepath.Join(s.Dir, "chosen")
	_, err := s.Install(t.Context(), quiet(folderOf(t, "library")))
	if err := errors.Join(err, os.MkdirAll(filepath.Join(chosen, "of another"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mine", runtimes.Bundled} {
		_, _, err := s.Use(t.Context(), name)
		if want := "engines use the same ONNX Runtime as before, since the choice cannot be kept in " + chosen + ": "; err == nil ||
			!strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), ". See that you may write there") || strings.Contains(err.Error(), ".new-") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A choice that is noise is not repeated in messages.
func TestDamagedChoice(t *testing.T) {
	s := storeIn(t.TempDir(), probeQuick)
	if err := os.WriteFile(filepath.Join(s.Dir, "chosen"), []byte(strings.Repeat("noise ", 9000)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, is, err := s.Chosen()
	if want := "the chosen ONNX Runtime cannot be used: " + filepath.Join(s.Dir, "chosen") + " is damaged: it names no build. " + runtimes.ChooseAnother; is || err == nil || err.Error() != want {
		t.Errorf("%v, %v", is, err)
	}
}

// Builds that cannot be listed are told as such, and not as missing ones.
func TestBuildsThatCannotBeListed(t *testing.T) {
	s := storeIn(t.TempDir(), probeQuick)
	if err := s.Readable(); err != nil {
		t.Errorf("none yet: %v", err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "builds"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := s.Use(t.Context(), "mine")
	if want := "the installed builds cannot be listed: "; err == nil || !strings.HasPrefix(err.Error(), want) || s.Readable() == nil {
		t.Errorf("%v, %v", err, s.Readable())
	}
}
