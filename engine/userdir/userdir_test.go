package userdir_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"conch/engine/userdir"
)

func TestFolders(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folders of Linux")
	}
	home := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	alone := filepath.Join(os.TempDir(), fmt.Sprintf("conch-%d", os.Geteuid()))
	atHome := func(parts ...string) string { return filepath.Join(append([]string{home}, parts...)...) }
	for name, c := range map[string]struct {
		env                    map[string]string
		data, installed, cache string
	}{
		"home only": {
			env:  map[string]string{"HOME": home},
			data: atHome(".local/share/conch"), installed: atHome(".local/share/conch"), cache: atHome(".cache/conch"),
		},
		"folders of the specification": {
			env:  map[string]string{"HOME": home, "XDG_DATA_HOME": "/d", "XDG_CACHE_HOME": "/c"},
			data: "/d/conch", installed: "/d/conch", cache: "/c/conch",
		},
		"paths that are not absolute are ignored": {
			env:  map[string]string{"HOME": home, "XDG_DATA_HOME": "d", "XDG_CACHE_HOME": "c"},
			data: atHome(".local/share/conch"), installed: atHome(".local/share/conch"), cache: atHome(".cache/conch"),
		},
		"Conch's own variable": {
			env:  map[string]string{"HOME": home, "CONCH_DATA_DIR": "/mine"},
			data: "/mine", installed: atHome(".local/share/conch"), cache: "/mine",
		},
		"no home, but folders": {
			env:  map[string]string{"XDG_DATA_HOME": "/d", "XDG_CACHE_HOME": "/c"},
			data: "/d/conch", installed: "/d/conch", cache: "/c/conch",
		},
		"no home": {
			data: alone, installed: alone, cache: "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{"HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", userdir.Variable} {
				t.Setenv(variable, c.env[variable])
			}
			if got := userdir.Data(); got != c.data {
				t.Errorf("data: %s, want %s", got, c.data)
			}
			if got := userdir.Installed(); got != c.installed {
				t.Errorf("installed: %s, want %s", got, c.installed)
			}
			if got := userdir.Cache(); got != c.cache {
				t.Errorf("cache: %s, want %s", got, c.cache)
			}
		})
	}
}
