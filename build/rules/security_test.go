package rules_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// promise is a line of the table of docs/security.md and the tests that it names.
type promise struct {
	text  string
	tests []string
}

var inBackticks = regexp.MustCompile("`([^`]+)`")

func promises(t *testing.T) (list []promise) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| promise | test |\n")
	if !found {
		t.Fatal("docs/security.md has no table of promises")
	}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "|") {
			break
		}
		if len(cells) < 2 {
			continue // the line below the head
		}
		p := promise{text: strings.TrimSpace(cells[0])}
		for _, name := range inBackticks.FindAllStringSubmatch(cells[len(cells)-1], -1) {
			p.tests = append(p.tests, name[1])
		}
		list = append(list, p)
	}
	return list
}

// Every promise in docs/security.md names a test that exists; what the test proves is not looked at: `folder.TestName` for Go (`main.TestName` for the commands), or the file of another test.
func TestPromisesAreTested(t *testing.T) {
	list := promises(t)
	if len(list) < 5 {
		t.Errorf("%d promises were found", len(list))
	}
	for _, p := range list {
		if len(p.tests) == 0 {
			t.Errorf("no test is named for: %s", p.text)
		}
		for _, name := range p.tests {
			if !testExists(t, name) {
				t.Errorf("there is no test %s for: %s", name, p.text)
			}
		}
	}
}

func testExists(t *testing.T, name string) bool {
	t.Helper()
	root := filepath.Join("..", "..")
	folder, function, isGo := strings.Cut(name, ".Test")
	if !isGo {
		info, err := os.Stat(filepath.Join(root, name))
		return err == nil && info.Mode().IsRegular()
	}
	if folder == "main" {
		folder = "." // the commands lie in the root
	}
	files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc Test"+function+"(t *testing.T) {") {
			return true
		}
	}
	return false
}
