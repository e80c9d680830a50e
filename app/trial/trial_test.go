package trial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
)

// A model whose folder is gone is not loaded, and nothing is left of the trial.
func TestFolderThatIsGone(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	o := Order{Config: &modelconfig.ModelConfig{Name: "m"}, Dir: filepath.Join(t.TempDir(), "gone"), Version: 1}
	if _, err := (&Engines{}).Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "read the folder of m") {
		t.Error(err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
