package golden

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/build/golden/sections"
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

	sections []sections.Section
	given    []sections.Section
}

const want = "want"

// expected tells whether a section is one that the test gives.
func expected(s sections.Section) bool { return s.Name == want || strings.HasPrefix(s.Name, want+" ") }

// Cases reads the cases of a folder. A file that is not a case fails the test: nobody would notice that it does nothing.
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
	c := &Case{Name: strings.TrimSuffix(filepath.Base(path), Extension), Path: path}
	if c.About, c.sections, err = sections.Parse(data); err != nil {
		t.Fatalf("%s: %v", path, err)
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
		if !expected(s) {
			files[s.Name] = s.Text
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
func (c *Case) Want(got string) { c.given = append(c.given, sections.Section{Name: want, Text: got}) }

// WantPart says that a test gave a text, which belongs in the section "want PART".
func (c *Case) WantPart(part, got string) {
	c.given = append(c.given, sections.Section{Name: want + " " + part, Text: got})
}

func find(list []sections.Section, name string) (string, bool) {
	for _, s := range list {
		if s.Name == name {
			return s.Text, true
		}
	}
	return "", false
}

// format is the case's file, with what the test gave as what is expected. The input stays as it is.
func (c *Case) format() ([]byte, error) {
	input := slices.DeleteFunc(slices.Clone(c.sections), expected)
	return sections.Format(c.About, append(input, c.given...))
}
