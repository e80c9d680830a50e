package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"conch/build/golden/sections"
)

// Case is one file: requests that are sent one after the other, with the answers.
type Case struct {
	// Name is the file's, without its extension, behind that of its folder: "grpc/infer".
	Name string
	// About says in a line what the case shows.
	About string
	// Flags are those of a server that is started for this case alone; nil where the case is for the server of all.
	Flags []string
	Steps []Step

	path     string
	sections []sections.Section
}

// Step is one request. Triton is what the real server answered; Conch is what Conch answers, where it is meant to be
// another answer.
type Step struct {
	Request, Triton, Conch string
	number                 string // behind the names of its sections: "", " 2", " 3"
}

const (
	extension = ".txtar"
	requests  = "request"
	ofTriton  = "triton"
	ofConch   = "conch"
	flags     = "flags"
)

// Expected is what Conch must answer.
func (s *Step) Expected() string {
	if s.Conch != "" {
		return s.Conch
	}
	return s.Triton
}

// Differs tells whether Conch is meant to answer otherwise than the real server.
func (c *Case) Differs() bool {
	return slices.ContainsFunc(c.Steps, func(s Step) bool { return s.Conch != "" })
}

// Deadly tells whether the real server ends at this case, which must not be sent to somebody's server then.
func (c *Case) Deadly() bool {
	return slices.ContainsFunc(c.Steps, func(s Step) bool { return s.Triton == noAnswer })
}

// Read reads the cases of a folder.
func Read(folder string) ([]*Case, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*"+extension))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no cases in %s: %w", folder, os.ErrNotExist)
	}
	var cases []*Case
	for _, path := range paths {
		c, err := read(path)
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
	return cases, nil
}

func read(path string) (*Case, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read a case: %w", err)
	}
	about, list, err := sections.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read the case %s: %w", path, err)
	}
	name := filepath.Base(filepath.Dir(path)) + "/" + strings.TrimSuffix(filepath.Base(path), extension)
	c := &Case{Name: name, About: strings.TrimSpace(about), path: path, sections: list}
	for _, s := range list {
		if number, ok := strings.CutPrefix(s.Name, requests); ok {
			triton, _ := c.section(ofTriton + number)
			conch, _ := c.section(ofConch + number)
			c.Steps = append(c.Steps, Step{Request: s.Text, Triton: triton, Conch: conch, number: number})
		}
	}
	if text, ok := c.section(flags); ok {
		c.Flags = append([]string{}, strings.Fields(text)...)
	}
	if len(c.Steps) == 0 {
		return nil, fmt.Errorf("the case %s has no section %q", path, requests)
	}
	return c, nil
}

func (c *Case) section(name string) (string, bool) {
	at := slices.IndexFunc(c.sections, func(s sections.Section) bool { return s.Name == name })
	if at < 0 {
		return "", false
	}
	return c.sections[at].Text, true
}

// Record writes what a server answered into the case's file: what the real one did, or what Conch did where that is
// another answer.
func (c *Case) Record(answers []string, real bool) error {
	for i := range c.Steps {
		s := &c.Steps[i]
		if real {
			s.Triton = answers[i]
		} else {
			s.Conch = answers[i]
		}
		if s.Conch == s.Triton {
			s.Conch = ""
		}
		c.set(ofTriton+s.number, s.Triton, requests+s.number)
		c.set(ofConch+s.number, s.Conch, ofTriton+s.number)
	}
	made, err := sections.Format(c.aboutSection(), c.sections)
	if err == nil {
		err = os.WriteFile(c.path, made, 0o644)
	}
	if err != nil {
		return fmt.Errorf("record the case %s: %w", c.Name, err)
	}
	return nil
}

func (c *Case) aboutSection() string {
	if c.About == "" {
		return ""
	}
	return c.About + "\n"
}

// set replaces a section, or adds it behind another. Without a text it goes.
func (c *Case) set(name, text, behind string) {
	at := slices.IndexFunc(c.sections, func(s sections.Section) bool { return s.Name == name })
	switch {
	case text == "" && at >= 0:
		c.sections = slices.Delete(c.sections, at, at+1)
	case at >= 0:
		c.sections[at].Text = text
	case text != "":
		at = slices.IndexFunc(c.sections, func(s sections.Section) bool { return s.Name == behind })
		c.sections = slices.Insert(c.sections, at+1, sections.Section{Name: name, Text: text})
	}
}
