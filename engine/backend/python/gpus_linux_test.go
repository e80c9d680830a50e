package python

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/sharedlib"
)

// A driver that was cut off would end the Python that asks it. It is told as what it is.
func TestDriverThatWasCutOff(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, sharedlib.CUDADriver)
	if err := os.WriteFile(path, []byte("\x7fELF and no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LD_LIBRARY_PATH", dir)
	if count, why := new(gpus).found(&Backend{}); count != 0 || !strings.HasPrefix(why, path+" is damaged: ") {
		t.Errorf("%d GPUs, %s", count, why)
	}
}
