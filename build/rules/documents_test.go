package rules_test

import (
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tree is what git knows of the project, by path with slashes.
type tree struct {
	files   []string
	folders map[string]bool
}

func tracked(t *testing.T) *tree {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-co", "--exclude-standard", "-z")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	found := &tree{folders: map[string]bool{}}
	for _, name := range strings.Split(strings.TrimRight(string(out), "\x00"), "\x00") {
		if _, err := os.Stat(filepath.Join("..", "..", name)); err != nil {
			continue // removed and not committed yet
		}
		found.files = append(found.files, name)
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			found.folders[dir] = true
		}
	}
	return found
}

func (f *tree) has(name string) bool { return f.folders[name] || slices.Contains(f.files, name) }

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// commentLine finds comments in the languages other than Go. Each marker must have a blank before or nothing, so that the
// slashes of an address are none.
var commentLine = regexp.MustCompile(`(?m)(?:^|\s)(?://|#|\*|--|/\*+)\s(.*)$`)

// comments returns the text of a file's comments in one line. For a language that is not Go a string may slip in, which
// does no harm.
func comments(name, text string) string {
	var all strings.Builder
	if !strings.HasSuffix(name, ".go") {
		for _, found := range commentLine.FindAllStringSubmatch(text, -1) {
			all.WriteString(found[1] + " ")
		}
		return all.String()
	}
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile(name, -1, len(text)), []byte(text), nil, scanner.ScanComments)
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return all.String()
		case token.COMMENT:
			for line := range strings.Lines(lit) {
				all.WriteString(strings.Trim(line, "/* \t\r\n") + " ")
			}
		}
	}
}

// citation is a page, and its section where one is named.
type citation struct{ page, section string }

var (
	cited = regexp.MustCompile(`\b(docs/[\w./-]+\.md)\b(?:,\s+"([^"]+)")?`)
	link  = regexp.MustCompile(`\]\(([\w./-]+\.md)\)(?:,\s+"([^"]+)")?`)
)

func citations(pattern *regexp.Regexp, text string) (list []citation) {
	for _, found := range pattern.FindAllStringSubmatch(text, -1) {
		list = append(list, citation{found[1], strings.Join(strings.Fields(found[2]), " ")})
	}
	return list
}

var heading = regexp.MustCompile(`(?m)^#+ (.+)$`)

// missing says what of a citation does not exist; "" when all does.
func (f *tree) missing(t *testing.T, c citation) string {
	switch {
	case !slices.Contains(f.files, c.page):
		return "there is no " + c.page
	case c.section == "":
		return ""
	}
	for _, found := range heading.FindAllStringSubmatch(read(t, c.page), -1) {
		if found[1] == c.section {
			return ""
		}
	}
	return c.page + ` has no section "` + c.section + `"`
}

var withComments = []string{".go", ".ts", ".tsx", ".mjs", ".css", ".py", ".sh", ".sql", ".proto", ".c", "Makefile"}

func hasComments(name string) bool {
	generated := strings.HasSuffix(name, ".pb.go") || strings.HasSuffix(name, "_pb.ts")
	return !generated && slices.ContainsFunc(withComments, func(end string) bool { return strings.HasSuffix(name, end) })
}

// What a comment cites exists: the page and its section.
func TestCommentsCiteWhatExists(t *testing.T) {
	f, count := tracked(t), 0
	for _, name := range f.files {
		if !hasComments(name) {
			continue
		}
		for _, c := range citations(cited, comments(name, read(t, name))) {
			count++
			if gone := f.missing(t, c); gone != "" {
				t.Errorf("%s: %s", name, gone)
			}
		}
	}
	if count < 10 {
		t.Errorf("only %d citations were found", count)
	}
}

// Pages link to pages and sections that exist.
func TestPagesLinkToWhatExists(t *testing.T) {
	f := tracked(t)
	for _, name := range f.files {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		for _, c := range citations(link, read(t, name)) {
			c.page = path.Join(path.Dir(name), c.page)
			if gone := f.missing(t, c); gone != "" {
				t.Errorf("%s: %s", name, gone)
			}
		}
	}
}

// A page says below each heading which part of Conch does what the section tells, and that part exists.
func TestPagesNamePartsThatExist(t *testing.T) {
	f := tracked(t)
	for _, name := range f.files {
		if path.Dir(name) != "docs/triton" || name == "docs/triton/README.md" {
			continue
		}
		for _, section := range strings.Split(read(t, name), "\n## ")[1:] {
			title, rest, _ := strings.Cut(section, "\n\n")
			first, _, _ := strings.Cut(rest, "\n\n")
			if !strings.HasPrefix(first, "In Conch: ") {
				t.Errorf(`%s, "%s" does not begin with "In Conch: …"`, name, title)
			}
			for _, part := range f.absent(first) {
				t.Errorf(`%s, "%s": there is no %s`, name, title, part)
			}
		}
	}
}

// DESIGN.md's map of what to change where names files and folders that exist.
func TestMapNamesWhatExists(t *testing.T) {
	f := tracked(t)
	_, rest, _ := strings.Cut(read(t, "DESIGN.md"), "\n## I want to change …\n")
	table, _, _ := strings.Cut(rest, "\n## ")
	count := 0
	for row := range strings.Lines(table) {
		cells := strings.SplitN(row, "|", 3)
		if len(cells) < 3 {
			continue
		}
		for _, found := range inBackticks.FindAllStringSubmatch(cells[2], -1) {
			if count++; !strings.HasPrefix(found[1], "make ") && !f.has(found[1]) {
				t.Errorf("DESIGN.md: there is no %s", found[1])
			}
		}
	}
	if count < 40 {
		t.Errorf("only %d names were found", count)
	}
}

// absent returns the folders and Go files in backticks that do not exist. A file is looked for in the folders that are
// beside it.
func (f *tree) absent(text string) (list []string) {
	var folders, files []string
	for _, found := range inBackticks.FindAllStringSubmatch(text, -1) {
		switch top, _, nested := strings.Cut(found[1], "/"); {
		case strings.HasSuffix(found[1], ".go"):
			files = append(files, found[1])
		case nested || f.folders[top]:
			folders = append(folders, found[1])
		}
	}
	for _, folder := range folders {
		if !f.has(folder) {
			list = append(list, folder)
		}
	}
	for _, file := range files {
		if !slices.ContainsFunc(folders, func(folder string) bool { return f.has(path.Join(folder, file)) }) {
			list = append(list, file)
		}
	}
	return list
}

var (
	ruleID    = regexp.MustCompile(`"([A-Z]{1,4}\d{1,2})'?"`)
	letters   = regexp.MustCompile(`^[A-Z]+`)
	mentioned = regexp.MustCompile(`\b([A-Z]{1,4})\d{1,2}\b`)
)

// The rules that a page names are in the table of rules.
func TestPagesNameRulesThatExist(t *testing.T) {
	f, known, families := tracked(t), map[string]bool{}, map[string]bool{}
	for _, name := range f.files {
		if path.Dir(name) != "configedit/rule" {
			continue
		}
		for _, found := range ruleID.FindAllStringSubmatch(read(t, name), -1) {
			known[found[1]] = true
			families[letters.FindString(found[1])] = true
		}
	}
	if len(known) < 100 {
		t.Fatalf("only %d rules were found in configedit/rule", len(known))
	}
	count := 0
	for _, name := range f.files {
		if path.Dir(name) != "docs/triton" {
			continue
		}
		for _, found := range mentioned.FindAllStringSubmatch(read(t, name), -1) {
			count++
			if families[found[1]] && !known[found[0]] {
				t.Errorf("%s names rule %s, which configedit/rule does not have", name, found[0])
			}
		}
	}
	if count < 50 {
		t.Errorf("only %d names of rules were found", count)
	}
}

func TestAbsentPartsAreFound(t *testing.T) {
	f := &tree{files: []string{"engine/sched/queue.go"}, folders: map[string]bool{"engine": true, "engine/sched": true}}
	got := f.absent("In Conch: `engine`, `engine/sched` (`queue.go`, `gone.go`, `Dynamic`), `engine/gone`.")
	if want := []string{"engine/gone", "gone.go"}; !slices.Equal(got, want) {
		t.Errorf("absent: %q, want %q", got, want)
	}
}

var (
	markdown = regexp.MustCompile(`[\w./-]*\w\.md\b`)
	// elsewhere finds papers that lie outside the project, and their sections: a letter, a dot, a number. In the engine,
	// where rules are called "rule D2", a letter and a number in brackets are such a section too.
	elsewhere = regexp.MustCompile(`\btriton-(?:config|runtime|oracle)\b|\buser-needs\b|(?:^|[\s(])[A-K]\.\d{1,2}\b`)
	inEngine  = regexp.MustCompile(`\([A-K]\d{1,2}[),;]`)
)

// foreign returns the documents that a comment names and the project does not have.
func (f *tree) foreign(name, comment string) []string {
	list := elsewhere.FindAllString(comment, -1)
	if strings.HasPrefix(name, "engine/") {
		list = append(list, inEngine.FindAllString(comment, -1)...)
	}
	for _, found := range markdown.FindAllString(comment, -1) {
		here := path.Join(path.Dir(name), found)
		if !f.has(found) && !f.has(here) && !slices.ContainsFunc(f.files, func(file string) bool { return path.Base(file) == found }) {
			list = append(list, found)
		}
	}
	return list
}

// No comment names a document that a reader of the project does not have.
func TestCommentsNameNoOtherDocument(t *testing.T) {
	f := tracked(t)
	for _, name := range f.files {
		text := ""
		switch {
		case hasComments(name):
			text = comments(name, read(t, name))
		case strings.HasSuffix(name, ".txt"): // golden cases begin with a sentence about themselves
			text, _, _ = strings.Cut(read(t, name), "\n")
		}
		for _, document := range f.foreign(name, text) {
			t.Errorf("%s names %q, which is not in the project; cite a page of docs/triton", name, strings.Trim(document, " ("))
		}
	}
}

func TestOtherDocumentsAreFound(t *testing.T) {
	f := &tree{files: []string{"docs/triton/http.md", "README.md"}, folders: map[string]bool{"docs": true, "docs/triton": true}}
	comment := comments("a.go", "package a\n\n// One (triton-config\n// C.7), two (B.5), README.md, docs/triton/http.md, notes.md, gpt-4.1, v1.B.2\nvar x = \"D.1\"\n")
	got := append(f.foreign("a.go", comment), f.foreign("engine/a.go", "Three (A5), rule D2, (rule D3).")...)
	if want := []string{"triton-config", " C.7", "(B.5", "notes.md", "(A5)"}; !slices.Equal(got, want) {
		t.Errorf("foreign: %q, want %q", got, want)
	}
}

func TestCitationsAreFound(t *testing.T) {
	comment := comments("a.go", "package a\n\n// One (docs/triton/http.md,\n// \"Infer\n// request\") and docs/security.md.\nvar x = \"docs/no.md\"\n")
	got := citations(cited, comment)
	if want := []citation{{"docs/triton/http.md", "Infer request"}, {"docs/security.md", ""}}; !slices.Equal(got, want) {
		t.Errorf("citations: %q, want %q", got, want)
	}
	got = citations(cited, comments("a.py", "x = 1  # see docs/triton/http.md, \"Paths\"\n"))
	if want := []citation{{"docs/triton/http.md", "Paths"}}; !slices.Equal(got, want) {
		t.Errorf("citations in Python: %q, want %q", got, want)
	}
}

// A picture that no page shows is left over from an earlier one.
func TestPicturesAreShown(t *testing.T) {
	project := tracked(t)
	shown := map[string]bool{}
	for _, name := range project.files {
		if path.Ext(name) != ".md" {
			continue
		}
		for _, picture := range picture.FindAllStringSubmatch(read(t, name), -1) {
			shown[path.Join(path.Dir(name), picture[1])] = true
		}
	}
	for _, name := range project.files {
		if path.Ext(name) == ".png" && !shown[name] {
			t.Errorf("no page shows %s", name)
		}
	}
}

// picture finds ![text](target).
var picture = regexp.MustCompile(`!\[[^\]]*\]\(([^)\s]+)\)`)

// indexes are the hosts of package indexes. A page names none: which one is asked is for the settings of pip, uv, npm and Go to say.
var indexes = regexp.MustCompile(`\b(pypi\.org|pythonhosted\.org|download\.pytorch\.org|registry\.npmjs\.org|proxy\.golang\.org)\b`)

func TestPagesNameNoPackageIndex(t *testing.T) {
	for _, name := range tracked(t).files {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		if found := indexes.FindString(read(t, name)); found != "" {
			t.Errorf("%s names the package index %s", name, found)
		}
	}
}
