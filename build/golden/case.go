package golden

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Extension is what the name of a case ends in.
const Extension = ".txtar"

// Case is one file. It belongs to one test.
type Case struct {
	// Name is the file's, without its extension.
	Name string
	// Path is where the file is.
	Path string
	// About is what stands before the first section.
	About string

	sections []section
	given    []section
}

type section struct{ name, text string }

func (s section) expected() bool { return s.name == want || strings.HasPrefix(s.name, want+" ") }

const want = "want"

// Cases reads the cases of a folder. A file that is no case fails the test: nobody would notice that it does nothing.
func Cases(t testing.TB, dir string) []*Case {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var cases []*Case
	for _, e := range entries {
		switch {
		case e.IsDir():
		case filepath.Ext(e.Name()) != Extension:
			t.Errorf("%s is no case: the name of a case ends in %s", filepath.Join(dir, e.Name()), Extension)
		default:
			cases = append(cases, Read(t, filepath.Join(dir, e.Name())))
		}
	}
	if len(cases) == 0 {
		t.Fatalf("%s holds no cases", dir)
	}
	return cases
}

// Each runs f for every case of a folder, and compares what f hands to Want with the case's sections.
func Each(t *testing.T, dir string, f func(t *testing.T, c *Case)) {
	t.Helper()
	for _, c := range Cases(t, dir) {
		t.Run(c.Name, func(t *testing.T) {
			f(t, c)
			c.compare(t)
		})
	}
}

// Read reads one case.
func Read(t testing.TB, path string) *Case {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(data)
	c := &Case{Name: strings.TrimSuffix(filepath.Base(path), Extension), Path: path, About: string(archive.Comment)}
	for _, f := range archive.Files {
		if slices.ContainsFunc(c.sections, func(s section) bool { return s.name == f.Name }) {
			t.Fatalf("%s has two sections called %q", path, f.Name)
		}
		c.sections = append(c.sections, section{f.Name, decode(string(f.Data))})
	}
	return c
}

// Text is a section that is input. The case must have it.
func (c *Case) Text(t testing.TB, name string) string {
	t.Helper()
	text, ok := find(c.sections, name)
	if !ok {
		t.Fatalf("%s has no section %q", c.Path, name)
	}
	return text
}

// Files are the sections that are input, by name.
func (c *Case) Files() map[string]string {
	files := map[string]string{}
	for _, s := range c.sections {
		if !s.expected() {
			files[s.name] = s.text
		}
	}
	return files
}

// Wanted is what the case expects in its section "want"; "" where it has none.
func (c *Case) Wanted() string {
	text, _ := find(c.sections, want)
	return text
}

// Want says that a test gave a text, which belongs in the section "want".
func (c *Case) Want(got string) { c.given = append(c.given, section{want, got}) }

// WantPart says that a test gave a text, which belongs in the section "want PART".
func (c *Case) WantPart(part, got string) { c.given = append(c.given, section{want + " " + part, got}) }

func find(list []section, name string) (string, bool) {
	for _, s := range list {
		if s.name == name {
			return s.text, true
		}
	}
	return "", false
}

// unended stands behind a text that does not end with a line break.
const unended = "\n\\ No newline at end of file\n"

func decode(text string) string { return strings.TrimSuffix(text, unended) }

func encode(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + unended
}

// format is the case's file, with what the test gave as what is expected. It is false where a line of a text begins a
// section, which no file in the format can hold. The input stays as it is.
func (c *Case) format() ([]byte, bool) {
	archive := &txtar.Archive{Comment: []byte(c.About)}
	input := slices.DeleteFunc(slices.Clone(c.sections), section.expected)
	for _, s := range append(input, c.given...) {
		archive.Files = append(archive.Files, txtar.File{Name: s.name, Data: []byte(encode(s.text))})
	}
	data := txtar.Format(archive)
	return data, len(txtar.Parse(data).Files) == len(archive.Files)
}
