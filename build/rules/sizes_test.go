package rules_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

// The limits that CONTRIBUTING.md names. A test may be longer than other functions: it is a story.
const (
	longestGoFile, longestOtherFile = 500, 300
	longestFunction, longestTest    = 60, 90
)

// generated is the mark of a file that a program writes.
var generated = regexp.MustCompile(`(?m)^// (Code generated .* DO NOT EDIT\.|@generated )`)

// lineLimit is how long a file may be; 0 for one that no person writes.
func lineLimit(name string, text string) int {
	if generated.MatchString(text) {
		return 0
	}
	switch path.Ext(name) {
	case ".go":
		return longestGoFile
	case ".ts", ".tsx", ".mjs", ".py":
		return longestOtherFile
	}
	return 0
}

func TestFilesStayShort(t *testing.T) {
	for _, name := range tracked(t).files {
		text := read(t, name)
		limit := lineLimit(name, text)
		if lines := strings.Count(text, "\n"); limit > 0 && lines > limit {
			t.Errorf("%s has %d lines; a file has %d at most", name, lines, limit)
		}
		if limit == longestGoFile {
			for _, fault := range sizesOf(t, name, text) {
				t.Error(fault)
			}
		}
	}
}

// sizesOf are the functions of a file that are too large.
func sizesOf(t *testing.T, name string, text string) (faults []string) {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if n, ok := n.(*ast.FuncDecl); ok {
			lines := files.Position(n.End()).Line - files.Position(n.Pos()).Line + 1
			if limit := functionLimit(name, n.Name.Name); lines > limit {
				faults = append(faults, fmt.Sprintf("%s: %s has %d lines; it may have %d", files.Position(n.Pos()), n.Name.Name, lines, limit))
			}
		}
		return true
	})
	return faults
}

func functionLimit(file, function string) int {
	if strings.HasSuffix(file, "_test.go") && strings.HasPrefix(function, "Test") {
		return longestTest
	}
	return longestFunction
}

// A lock is a type whose methods give what it guards; a comment cannot hold it. See engine/guarded.
func TestNoCommentHoldsALock(t *testing.T) {
	for _, part := range []string{"engine/control", "engine/model", "configedit"} {
		for _, name := range tracked(t).files {
			if under(name, part) && strings.Contains(read(t, name), "mu is held") {
				t.Errorf("%s has a comment that says who holds a lock", name)
			}
		}
	}
}

// The limits must be able to fail.
func TestSizesAreCounted(t *testing.T) {
	long := "package p\nfunc long() {" + strings.Repeat("\n", longestFunction) + "}\n"
	if faults := sizesOf(t, "p/p.go", long); len(faults) != 1 {
		t.Errorf("%q", faults)
	}
	if limit := lineLimit("p/p.ts", ""); limit != longestOtherFile {
		t.Error(limit)
	}
}
