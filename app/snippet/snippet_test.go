package snippet_test

import (
	"encoding/json"
	"strings"
	"testing"

	"conch/app/snippet"
	"conch/build/golden"
)

// TestGolden writes the request of every case of testdata in every language.
func TestGolden(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, c *golden.Case) {
		var request snippet.Request
		if err := json.Unmarshal([]byte(c.Text(t, "request.json")), &request); err != nil {
			t.Fatal(err)
		}
		for _, language := range snippet.Languages() {
			text, err := snippet.Write(language, request)
			if err != nil {
				t.Fatalf("in %s: %v", language, err)
			}
			c.WantPart(language, text)
		}
	})
}

// A name that a URL would escape is reached by gRPC alone.
func TestNameInURL(t *testing.T) {
	for _, name := range []string{"my_model_数字", "a b", "q?x", "h#x", "p%41", "a+b"} {
		r := snippet.Request{Model: name, GRPCAddress: "127.0.0.1:8001"}
		if text, err := snippet.Write("curl", r); err == nil || !strings.Contains(err.Error(), "Copy the request as Python or grpcurl") {
			t.Errorf("%s: curl says %q, %v", name, text, err)
		}
		if text, err := snippet.Write("python", r); err != nil || !strings.Contains(text, "import tritonclient.grpc as triton") || !strings.Contains(text, `url="localhost:8001"`) && !strings.Contains(text, `url="127.0.0.1:8001"`) {
			t.Errorf("%s: Python says %q, %v", name, text, err)
		}
	}
}

func TestUnknownLanguage(t *testing.T) {
	if _, err := snippet.Write("cobol", snippet.Request{}); err == nil || !strings.Contains(err.Error(), "curl, python, grpcurl") {
		t.Errorf("said %v", err)
	}
}
