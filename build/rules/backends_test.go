package rules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"conch/configedit/backends"
	"conch/configedit/folder"
)

// backendFacts finds a default file name or a platform as a word of its own. "ensemble" is not looked for: it is also
// an ordinary word.
var backendFacts = func() *regexp.Regexp {
	names := backends.Files()
	for _, p := range backends.Platforms() {
		if p != backends.Ensemble {
			names = append(names, p)
		}
	}
	for i := range names {
		names[i] = regexp.QuoteMeta(names[i])
	}
	return regexp.MustCompile(`(?:^|[^\w.])(` + strings.Join(names, "|") + `)(?:$|\W)`)
}()

// TestFactsOfBackendsStandOnce: platforms and default file names are written in configedit/backends, and nowhere else in
// the product.
func TestFactsOfBackendsStandOnce(t *testing.T) {
	for _, p := range packages(t, "desktop,production,webkit2_41") {
		path, _ := inModule(p.ImportPath)
		if path == "configedit/backends" || strings.HasSuffix(path, "test") || under(path, "build") || under(path, "examples") {
			continue
		}
		for _, name := range p.GoFiles {
			if !strings.HasSuffix(name, ".pb.go") {
				noFactsInGo(t, filepath.Join(p.Dir, name))
			}
		}
	}
	src := filepath.Join("..", "..", "frontend", "src")
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".ts" && ext != ".tsx" ||
			strings.Contains(path, ".test.") || strings.HasSuffix(path, "_pb.ts") {
			return err
		}
		text, err := os.ReadFile(path)
		if found := backendFacts.FindStringSubmatch(withoutComments(string(text))); found != nil {
			t.Errorf("%s writes %q: ask the app, which has it from configedit/backends", path, found[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func noFactsInGo(t *testing.T, path string) {
	t.Helper()
	eachText(t, path, func(text string) {
		if found := backendFacts.FindStringSubmatch(text); found != nil {
			t.Errorf("%s writes %q: ask configedit/backends", path, found[1])
		}
	})
}

// eachText calls see with each string of a Go file.
func eachText(t *testing.T, path string, see func(text string)) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				see(text)
			}
		}
		return true
	})
}

// TestNameOfConfigsStandsOnce: the name of a model's config is a constant of configedit/folder. A sentence may contain
// it.
func TestNameOfConfigsStandsOnce(t *testing.T) {
	for _, p := range packages(t, "desktop,production,webkit2_41") {
		path, _ := inModule(p.ImportPath)
		if path == "configedit/folder" || under(path, "build") || under(path, "examples") {
			continue
		}
		for _, name := range p.GoFiles {
			file := filepath.Join(p.Dir, name)
			eachText(t, file, func(text string) {
				if strings.Trim(text, "/") == folder.ConfigName {
					t.Errorf("%s writes %q: use folder.ConfigName", file, text)
				}
			})
		}
	}
}

// tsComments are the comments of TypeScript. A // inside a text, as in a URL, has no blank before it.
var tsComments = regexp.MustCompile(`(?s)/\*.*?\*/|(?m:(?:^|\s)//.*$)`)

func withoutComments(text string) string { return tsComments.ReplaceAllString(text, "") }

// A pattern that finds nothing would make the test above worthless.
func TestFactsOfBackendsAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"model.onnx": true, "1/model.onnx": true, `see "model.py"`: true, "a pytorch_libtorch model": true,
		"/* model.onnx */ x": false, "x // model.onnx": false, "my_model.onnx": false, "model.onnxish": false, "model.pt2": true, "modelXpt": false,
	} {
		if got := backendFacts.MatchString(withoutComments(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
