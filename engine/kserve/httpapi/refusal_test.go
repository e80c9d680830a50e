package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"conch/engine/kserve"
	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/httpapi/shortcut"
	"conch/engine/kserve/kservetest"
	"conch/engine/kserve/refusals"
)

// Whether a refused request reached its model is kept, whatever its status and its words: a body that cannot be read has
// status 500, and an error of a model may have any.
func TestRefusalsSayWhatRan(t *testing.T) {
	svc := kservetest.Refusing()
	var log refusals.Log
	options := httpapi.Options{Options: kserve.Options{Refusals: &log}}
	at := "http://" + listen(t, shortcut.Over(httpapi.NewServer(svc, options), nil)) + "/v2/models/"
	withID := func(id, body string) string { return `{"id":"` + id + `",` + body[1:] }
	for _, c := range []struct {
		path, body string
		ran        bool
	}{
		{"m/infer", withID("early", addOne), false},
		{"m/infer", withID("full", addOne), false},
		{"m/infer", withID("late", addOne), true},
		{"m/infer", "{ this is no JSON", false},
		{"zz/infer", addOne, false},
		{"stream/generate", `{"id":"early","N":9}`, false},
		{"stream/generate", `{"id":"late","N":9}`, true},
	} {
		reader := log.Read()
		reader.Next()
		answer, err := http.Post(at+c.path, "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		groups := reader.Next().Groups
		if len(groups) != 1 || groups[0].Ran != c.ran {
			t.Errorf("%s %s: kept as %+v", c.path, c.body, groups)
		}
	}
}
