//go:build unix

package environments_test

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend/python/environments/wheeltest"
)

// Where the settings of the tools name a second index, the build that it has for processors is taken, as
// docs/guide/frameworks.md, "PyTorch" says. uv reads no settings of pip.
func TestSecondIndex(t *testing.T) { tools(t, testSecondIndex) }

func testSecondIndex(t *testing.T, name string, b *bench) {
	second := wheeltest.Index{Dir: t.TempDir()}
	b.index.Add(t, "shells", "2.0", map[string]string{"shells.py": "KIND = 'GPUs'"})
	second.Add(t, "shells", "2.0+cpu", map[string]string{"shells.py": "KIND = 'processors'"})
	address := served(t, second)
	for variable, value := range map[string]string{
		"PIP_NO_INDEX": "0", "PIP_FIND_LINKS": "", "PIP_INDEX_URL": served(t, b.index),
		"UV_OFFLINE": "0", "UV_FIND_LINKS": "", "UV_DEFAULT_INDEX": served(t, b.index),
	} {
		t.Setenv(variable, value)
	}
	ways := map[string][]string{"pip": {"PIP_EXTRA_INDEX_URL", "PIP_CONFIG_FILE"}, "uv": {"UV_INDEX"}}
	if kind := installed(t, b); kind != "GPUs" {
		t.Errorf("without a second index the build is the one for %q", kind)
	}
	for _, way := range ways[name] {
		t.Run(way, func(t *testing.T) {
			value := address
			if way == "PIP_CONFIG_FILE" {
				value = filepath.Join(t.TempDir(), "pip.conf")
				write(t, value, "[global]\nextra-index-url = "+address+"\n")
			}
			t.Setenv(way, value)
			if kind := installed(t, b); kind != "processors" {
				t.Errorf("the build is the one for %q", kind)
			}
		})
	}
}

// installed makes an environment, and returns for what kind of machine its package was built.
func installed(t *testing.T, b *bench) string {
	t.Helper()
	store := b.another(t.TempDir())
	defer store.Close()
	e, _, err := made(t, store, list(t, "shells"))
	if err != nil {
		t.Fatal(err)
	}
	interpreter, err := e.Interpreter()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(interpreter, "-c", "import shells; print(shells.KIND)").CombinedOutput()
	if err != nil {
		t.Fatalf("%s, %v", out, err)
	}
	return strings.TrimSpace(string(out))
}

// served serves a folder of wheels as an index, and returns its address.
func served(t *testing.T, i wheeltest.Index) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".whl") {
			http.ServeFile(w, r, filepath.Join(i.Dir, path.Base(r.URL.Path)))
			return
		}
		wheels, err := filepath.Glob(filepath.Join(i.Dir, path.Base(r.URL.Path)+"-*.whl"))
		if err != nil || len(wheels) == 0 {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		for _, wheel := range wheels {
			file := filepath.Base(wheel)
			_, _ = w.Write([]byte("<a href='" + strings.ReplaceAll(file, "+", "%2B") + "'>" + file + "</a>\n"))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}
