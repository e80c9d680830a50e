package rules_test

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// defaultFacts are literals that one file alone may write: the version of Triton that Conch follows, Triton's ports, and the
// translation of its error codes.
var defaultFacts = []struct {
	what   string
	where  string // the one file
	sought *regexp.Regexp
}{
	{"the version of Triton", "engine/kserve/options.go", regexp.MustCompile(`\b2\.73\.0\b`)},
	{"a default port", "engine/option/option.go", regexp.MustCompile(`\b800[012]\b`)},
	{"a gRPC code for Triton's code", "engine/kserve/status.go", regexp.MustCompile(`^(AlreadyExists|DataLoss)$`)},
}

// TestDefaultsStandOnce: code that needs such a fact asks the package that has it.
func TestDefaultsStandOnce(t *testing.T) {
	found := map[string]bool{}
	for _, p := range packages(t, "desktop,production,webkit2_41") {
		path, _ := inModule(p.ImportPath)
		// The reader of texts looks at 8000 bytes, which is not a port; infer has the codes' own names, and region uses one.
		if strings.HasSuffix(path, "test") || under(path, "build") || under(path, "examples") || path == "app/rpc" ||
			path == "engine/infer" || path == "engine/kserve/region" {
			continue
		}
		for _, name := range p.GoFiles {
			if strings.HasSuffix(name, ".pb.go") {
				continue
			}
			file := filepath.ToSlash(filepath.Join(path, name))
			for _, word := range words(t, filepath.Join(p.Dir, name)) {
				for _, fact := range defaultFacts {
					if !fact.sought.MatchString(word) {
						continue
					}
					if found[fact.what] = true; file != fact.where {
						t.Errorf("%s writes %s (%s): take it from %s", file, fact.what, word, fact.where)
					}
				}
			}
		}
	}
	for _, fact := range defaultFacts {
		if !found[fact.what] {
			t.Errorf("%s was found nowhere: has it moved from %s?", fact.what, fact.where)
		}
	}
}

// words are the names and literals of a file, without its comments.
func words(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var (
		s    scanner.Scanner
		list []string
	)
	files := token.NewFileSet()
	s.Init(files.AddFile(path, files.Base(), len(text)), text, nil, 0)
	for {
		_, kind, literal := s.Scan()
		if kind == token.EOF {
			return list
		}
		if kind == token.IDENT || kind.IsLiteral() {
			list = append(list, literal)
		}
	}
}
