package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/kservetest"
)

type document struct {
	OpenAPI    string
	Info       struct{ Title, Version string }
	Paths      map[string]map[string]json.RawMessage
	Components struct{ Schemas map[string]map[string]any }
}

func readDocument(t *testing.T, path string) (document, string) {
	t.Helper()
	w := httptest.NewRecorder()
	httpapi.New(kservetest.Identity(), httpapi.Options{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	var d document
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%s: %d %v", path, w.Code, err)
	}
	return d, w.Body.String()
}

var (
	reference   = regexp.MustCompile(`"#/components/schemas/(\w+)"`)
	placeholder = regexp.MustCompile(`\{(\w+)\}`)
)

// Each route of the document answers, and each says what it is for and what its bodies are.
func TestDocumentOfTheServer(t *testing.T) {
	d, text := readDocument(t, "/v2/openapi.json")
	if d.OpenAPI != "3.1.0" || d.Info.Title != "triton" || len(d.Paths) < 40 {
		t.Errorf("%s, %+v, %d paths", d.OpenAPI, d.Info, len(d.Paths))
	}
	handler := httpapi.New(kservetest.Identity(), httpapi.Options{})
	for path, item := range d.Paths {
		for method, raw := range item {
			if method == "parameters" {
				continue
			}
			var op struct{ Summary, OperationID string }
			if err := json.Unmarshal(raw, &op); err != nil || op.Summary == "" || op.OperationID == "" {
				t.Errorf("%s %s says nothing: %s, %v", method, path, raw, err)
			}
			target := strings.NewReplacer("{model}", "m", "{version}", "1", "{region}", "r", "{repository}", "x").Replace(path)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest(strings.ToUpper(method), target, strings.NewReader("{}")))
			if routed := w.Code != http.StatusMethodNotAllowed && !strings.Contains(w.Body.String(), `"Not Found"`); !routed {
				t.Errorf("%s %s: %d %s", method, target, w.Code, w.Body)
			}
		}
		if found := placeholder.FindAllString(path, -1); len(found) > 0 && strings.Count(string(item["parameters"]), `"in":"path"`) != len(found) {
			t.Errorf("%s does not declare its placeholders: %s", path, item["parameters"])
		}
	}
	used := map[string]bool{}
	for _, name := range reference.FindAllStringSubmatch(text, -1) {
		if used[name[1]] = true; d.Components.Schemas[name[1]] == nil {
			t.Errorf("there is no schema %s", name[1])
		}
	}
	for name := range d.Components.Schemas {
		if !used[name] {
			t.Errorf("nothing has the schema %s", name)
		}
	}
}

// A model's document has its types and shapes, and its example is a request that the model takes.
func TestDocumentOfAModel(t *testing.T) {
	d, _ := readDocument(t, "/v2/models/m/versions/1/openapi.json")
	want := `{"maxItems":1,"minItems":1,"oneOf":[{"properties":{"data":{"anyOf":[{"items":{"maximum":2147483647,"minimum":-2147483648,"type":"integer"},"type":"array"},` +
		`{"items":{"items":{"maximum":2147483647,"minimum":-2147483648,"type":"integer"},"type":"array"},"type":"array"}]},` +
		`"datatype":{"const":"INT32"},"name":{"const":"IN"},"parameters":{"type":"object"},"shape":{"maxItems":2,"minItems":2,` +
		`"prefixItems":[{"maximum":8,"minimum":1,"title":"batch","type":"integer"},{"const":3}],"type":"array"}},"required":["name","datatype","shape"],"type":"object"}]`
	inputs := d.Components.Schemas["InferRequest"]["properties"].(map[string]any)["inputs"].(map[string]any)
	one, _ := json.Marshal(inputs["items"])
	if got := `{"maxItems":1,"minItems":1,` + string(one[1:len(one)-1]); got != want || inputs["minItems"] != 1.0 || inputs["maxItems"] != 1.0 {
		t.Errorf("inputs are\n%s, want\n%s", got, want)
	}
	handler := httpapi.New(kservetest.Identity(), httpapi.Options{})
	for path, schema := range map[string]string{"infer": "InferRequest", "generate": "GenerateRequest"} {
		example, _ := json.Marshal(d.Components.Schemas[schema]["example"])
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v2/models/m/versions/1/"+path, strings.NewReader(string(example))))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "OUT") || d.Paths["/v2/models/m/versions/1/"+path] == nil {
			t.Errorf("%s with %s: %d %s", path, example, w.Code, w.Body)
		}
	}
	for path := range d.Paths {
		if strings.Contains(path, "{") {
			t.Errorf("%s has a placeholder in the document of a model", path)
		}
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v2/models/nosuch/openapi.json", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("an unknown model: %d %s", w.Code, w.Body)
	}
}

var elsewhere = regexp.MustCompile(`(?i)https?://|//[a-z]|innerHTML|insertAdjacentHTML|document\.write|eval\(`)

// The page loads nothing from elsewhere, runs nothing that a name brings, and cannot be framed.
func TestPageIsItsOwn(t *testing.T) {
	handler := httpapi.New(kservetest.Identity(), httpapi.Options{})
	for _, path := range []string{"/v2/docs", "/v2/docs/page.js", "/v2/docs/page.css"} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		policy := w.Header().Get("Content-Security-Policy")
		if w.Code != http.StatusOK || !strings.HasPrefix(policy, "default-src 'none'; ") || !strings.Contains(policy, "frame-ancestors 'none'") ||
			strings.Contains(policy, "unsafe") || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
		if found := elsewhere.FindString(w.Body.String()); found != "" {
			t.Errorf("%s has %q", path, found)
		}
	}
}
