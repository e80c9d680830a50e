package desktop

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPaintPlain(t *testing.T) {
	const unset = "(unset)"
	for _, c := range []struct {
		name, device, before, after string
	}{
		{"no GPU", "", unset, "1"},
		{"a screen without a GPU", "card0", unset, "1"},
		{"a GPU", "renderD128", unset, unset},
		{"the user wants compositing", "", "0", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(noCompositing, c.before) // restores what was there
			if c.before == unset {
				if err := os.Unsetenv(noCompositing); err != nil {
					t.Fatal(err)
				}
			}
			devices := t.TempDir()
			if c.device != "" {
				if err := os.WriteFile(filepath.Join(devices, c.device), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := paintPlain(devices); err != nil {
				t.Fatal(err)
			}
			after, set := os.LookupEnv(noCompositing)
			if !set {
				after = unset
			}
			if after != c.after {
				t.Errorf("%s=%s, want %s", noCompositing, after, c.after)
			}
		})
	}
}
