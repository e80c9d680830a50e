package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/kservetest"
)

// asking is a handler for a server without models, and the name that was asked for last.
func asking(svc *kservetest.Service) (http.Handler, *string) {
	asked := new(string)
	svc.ModelReadyFunc = func(name string, _ int64) (bool, error) {
		*asked = name
		return false, infer.Errorf(infer.NotFound, "no model")
	}
	return httpapi.New(svc, httpapi.Options{}), asked
}

// Percent signs in a path are part of a model's name, as in Triton. They are decoded only for a name that is not
// UTF-8.
func TestPercentSignsInNames(t *testing.T) {
	svc := kservetest.Identity()
	svc.IndexFunc = func(bool) []kserve.IndexEntry { return []kserve.IndexEntry{{Name: "m%ff"}, {Name: `caf\xe9`}} }
	handler, asked := asking(svc)
	for path, want := range map[string]string{
		"m%ff": "m%ff", "m%20x": "m%20x", "caf%E9": `caf\xe9`, "caf%5Cxe9": `caf\xe9`, "n%ff": `n\xff`, "plain": "plain",
	} {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v2/models/"+path+"/ready", nil))
		if *asked != want {
			t.Errorf("%s asks for %q, want %q", path, *asked, want)
		}
	}
}

// Names are decoded where the client says that it escaped them, as the page of the API does.
func TestEscapedNames(t *testing.T) {
	svc := kservetest.Identity()
	handler, asked := asking(svc)
	for sent, want := range map[string]string{
		"%E6%95%B0%20%23%3F": "数 #?", "50%25": "50%", "m%2520x": "m%20x", "caf%5Cxe9": `caf\xe9`, "m%ff": `m\xff`, "m%2": "m%2", "plain": "plain",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RequestURI = "/v2/models/" + sent + "/ready" // as it came, also where it is not well escaped
		r.Header.Set("Conch-Names", "escaped")
		handler.ServeHTTP(httptest.NewRecorder(), r)
		if *asked != want {
			t.Errorf("%s asks for %q, want %q", sent, *asked, want)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/v2/systemsharedmemory/region/a%2Fb/status", nil)
	r.Header.Set("Conch-Names", "escaped")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if !strings.Contains(w.Body.String(), "'a/b'") {
		t.Errorf("a region: %d %s", w.Code, w.Body)
	}
}

// A client may send the bytes of a name as they are, as curl does. Triton finds the model then.
func TestNamesAsTheyAre(t *testing.T) {
	svc := kservetest.Identity()
	handler, asked := asking(svc)
	for sent, want := range map[string]string{
		"数字": "数字", "a|b{}^`": "a|b{}^`", "m#x": "m#x", "m\xff": `m\xff`, "%E6%95%B0": "%E6%95%B0", "plain?x=/y": "plain",
	} {
		path, query, _ := strings.Cut(sent, "?")
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RequestURI = "/v2/models/" + path + "/ready"
		if query != "" {
			r.RequestURI += "?" + query
		}
		at, err := url.ParseRequestURI(r.RequestURI)
		if err != nil {
			t.Fatal(err)
		}
		r.URL = at
		handler.ServeHTTP(httptest.NewRecorder(), r)
		if *asked != want {
			t.Errorf("%q asks for %q, want %q", sent, *asked, want)
		}
	}
}
