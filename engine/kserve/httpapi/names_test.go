package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/kservetest"
)

// Percent signs in a path are part of a model's name, as in Triton. They are decoded only for a name that is not
// UTF-8.
func TestPercentSignsInNames(t *testing.T) {
	svc := kservetest.Identity()
	svc.IndexFunc = func(bool) []kserve.IndexEntry { return []kserve.IndexEntry{{Name: "m%ff"}, {Name: `caf\xe9`}} }
	var asked string
	svc.ModelReadyFunc = func(name string, _ int64) (bool, error) {
		asked = name
		return false, infer.Errorf(infer.NotFound, "no model")
	}
	handler := httpapi.New(svc, httpapi.Options{})
	for path, want := range map[string]string{
		"m%ff": "m%ff", "m%20x": "m%20x", "caf%E9": `caf\xe9`, "caf%5Cxe9": `caf\xe9`, "n%ff": `n\xff`, "plain": "plain",
	} {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v2/models/"+path+"/ready", nil))
		if asked != want {
			t.Errorf("%s asks for %q, want %q", path, asked, want)
		}
	}
}
