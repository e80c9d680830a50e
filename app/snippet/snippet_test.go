package snippet_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/snippet"
)

var update = flag.Bool("update", false, "write what is found as what is expected")

// TestGolden writes every request in testdata in every language. A new case is a new file.
func TestGolden(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.json")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range cases {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var request snippet.Request
		if err := json.Unmarshal(data, &request); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, language := range snippet.Languages() {
			text, err := snippet.Write(language, request)
			if err != nil {
				t.Fatalf("%s in %s: %v", path, language, err)
			}
			compare(t, strings.TrimSuffix(path, ".json")+"."+language, text)
		}
	}
}

func compare(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s was written; look at it, then run without -update", path)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		t.Errorf("%s differs, %v; got\n%s", path, err, got)
	}
}

func TestUnknownLanguage(t *testing.T) {
	if _, err := snippet.Write("cobol", snippet.Request{}); err == nil || !strings.Contains(err.Error(), "curl, python, grpcurl") {
		t.Errorf("said %v", err)
	}
}
