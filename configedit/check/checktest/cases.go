package checktest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Case is a golden file of sections, each begun by a line "-- name --". The last one, "want", holds what is expected.
type Case struct {
	path, before string
	// Sections are the texts by name.
	Sections map[string]string
}

// EachCase runs f for every .txt of a folder.
func EachCase(t *testing.T, dir string, f func(t *testing.T, c Case)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			before, _, _ := strings.Cut(string(data), "-- want --\n")
			f(t, Case{path: file, before: before, Sections: Sections(string(data))})
		})
	}
}

// Compare compares what came out with the section "want". With update it writes what came out, and the test fails.
func (c Case) Compare(t *testing.T, got string, update bool) {
	t.Helper()
	switch {
	case got == c.Sections["want"]:
	case !update:
		t.Errorf("got:\n%s\nwant:\n%s", got, c.Sections["want"])
	default:
		if err := os.WriteFile(c.path, []byte(c.before+"-- want --\n"+got), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Error("the case was written anew")
	}
}
