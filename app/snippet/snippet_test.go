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

func TestUnknownLanguage(t *testing.T) {
	if _, err := snippet.Write("cobol", snippet.Request{}); err == nil || !strings.Contains(err.Error(), "curl, python, grpcurl") {
		t.Errorf("said %v", err)
	}
}
