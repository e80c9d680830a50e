package runtimes_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend/onnx/runtimes"
)

// withoutPip is a machine with neither Python nor uv.
func withoutPip(t *testing.T) {
	t.Helper()
	t.Setenv("PATH", t.TempDir())
	t.Setenv(runtimes.PythonVariable, "")
	for _, variable := range []string{"PIP_NO_INDEX", "UV_DEFAULT_INDEX", "UV_INDEX_URL"} {
		t.Setenv(variable, "")
	}
}

// wanted is the build of the index, with the published hash, or without one.
func wanted(sum string) runtimes.Wanted {
	return runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", sum), Tell: func(string) {}}
}

// Without pip and uv, a build comes from the index that pip's settings name. A download that breaks off goes on where it ended.
func TestDownloadWithoutPip(t *testing.T) {
	index := anIndex(t)
	withoutPip(t)
	index.breaks.Store(30_000)
	s := storeIn(t.TempDir(), probeQuick)
	done, err := s.Install(t.Context(), wanted(index.sum))
	if err != nil || done.Build.ID != "cpu-1.30.0" || done.Build.Doubt() != "" {
		t.Fatalf("%+v, %v", done, err)
	}
	if got := fmt.Sprint(*index.ranges.Load()); got != "[ bytes=30000- bytes=60000-]" {
		t.Errorf("asked for %s", got)
	}
	nothingLeft(t, s, 1)
	noParts(t, s)
}

// A server that knows no ranges sends all again.
func TestDownloadWithoutPipOrRanges(t *testing.T) {
	index := anIndex(t)
	withoutPip(t)
	index.ignores.Store(true)
	s := storeIn(t.TempDir(), probeQuick)
	part := filepath.Join(s.Dir, "parts", index.sum)
	if err := os.MkdirAll(filepath.Dir(part), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(part, index.wheel[:1000], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Install(t.Context(), wanted(index.sum)); err != nil {
		t.Fatal(err)
	}
	nothingLeft(t, s, 1)
	noParts(t, s)
}

// What does not have the published hash, or the one that the index tells, is refused, and nothing of it stays.
func TestOtherBytesWithoutPip(t *testing.T) {
	index := anIndex(t)
	withoutPip(t)
	sum := index.sum
	s := storeIn(t.TempDir(), probeQuick)
	refused(t, s, wanted(strings.Repeat("a", len(sum))), "no wheel of onnxruntime 1.30.0 with the published SHA-256 aaaa", "--from FILE")
	index.serve(append([]byte{}, index.wheel[1:]...), sum)
	refused(t, s, wanted(sum), "and the published one "+sum)
	refused(t, s, wanted(""), "and the published one "+sum)
	index.serve(index.wheel, "../../outside")
	refused(t, s, wanted(""), "tells no SHA-256 of it")
	noParts(t, s)
}

// The index is the one of pip's settings, also with a name and a password, which no message shows.
func TestIndexOfPipsSettings(t *testing.T) {
	index := anIndex(t)
	withoutPip(t)
	guarded := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, word, _ := r.BasicAuth()
		switch {
		case name != "ann" || word != "secret":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/simple/onnxruntime/":
			w.Header().Set("Content-Type", "application/vnd.pypi.simple.v1+json")
			const name = "onnxruntime-1.30.0-py3-none-any.whl"
			fmt.Fprintf(w, `{"files": [{"filename": %q, "url": "../../files/%s", "hashes": {"sha256": %q}}]}`, name, name, index.sum)
		default:
			index.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(guarded.Close)
	address, err := url.Parse(guarded.URL + "/simple/")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pip.conf")
	t.Setenv("PIP_INDEX_URL", "")
	t.Setenv("PIP_CONFIG_FILE", file)
	settings := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := storeIn(t.TempDir(), probeQuick)
	address.User = url.UserPassword("ann", "wrongword")
	settings("[global]\nindex-url = " + address.String() + "\n")
	_, err = s.Install(t.Context(), wanted(index.sum))
	if err == nil || !strings.Contains(err.Error(), "answers 401 Unauthorized for onnxruntime") || strings.Contains(err.Error(), "wrongword") {
		t.Errorf("with a wrong password: %v", err)
	}
	address.User = url.UserPassword("ann", "secret")
	settings("[global]\nindex-url = http://127.0.0.1:1/simple\n[download]\nindex_url: " + address.String() + "\n")
	if _, err := s.Install(t.Context(), wanted(index.sum)); err != nil {
		t.Error(err)
	}
	nothingLeft(t, s, 1)
	settings("[global]\nno-index = true\n")
	_, err = storeIn(t.TempDir(), probeQuick).Install(t.Context(), wanted(index.sum))
	if err == nil || !strings.Contains(err.Error(), "pip's settings forbid to ask an index") {
		t.Errorf("where an index is forbidden: %v", err)
	}
	settings("[global]\nquiet = 1\n")
	_, err = storeIn(t.TempDir(), probeQuick).Install(t.Context(), wanted(index.sum))
	if err == nil || !strings.Contains(err.Error(), "names a package index. Set PIP_INDEX_URL") {
		t.Errorf("where no index is named: %v", err)
	}
}
