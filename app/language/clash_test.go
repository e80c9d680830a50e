package language_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/language"
	"conch/repo/scan"
)

// TestClash: where two repositories have the same name, each place gets a diagnostic about the other.
func TestClash(t *testing.T) {
	roots := []string{t.TempDir(), t.TempDir()}
	for _, root := range roots {
		dir := filepath.Join(root, "twice", "1")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "model.py"), []byte("class TritonPythonModel: pass\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	analysis := language.New(scan.New(roots...).Scan(nil), nil, language.Around{})
	m, _ := analysis.Model("twice")
	list := analysis.Diagnose(m)
	other := analysis.Index.Named("twice")[1].Dir
	if len(list) != 1 || list[0].Code != "DUPLICATE" || !strings.Contains(list[0].Message, other) {
		t.Errorf("%+v", list)
	}
	if err := os.RemoveAll(filepath.Join(roots[1], "twice")); err != nil {
		t.Fatal(err)
	}
	next := language.New(scan.New(roots...).Scan(nil), analysis, language.Around{})
	m, _ = next.Model("twice")
	if changed, _ := next.Changed(analysis); len(changed) != 1 || len(next.Diagnose(m)) > 0 {
		t.Errorf("the other one is gone: changed %v, %+v", changed, next.Diagnose(m))
	}
}
