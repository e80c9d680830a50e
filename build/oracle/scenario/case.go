package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"conch/build/golden/sections"
)

// Extension is what the name of a story's file ends in.
const Extension = ".txtar"

// Case is one story.
type Case struct {
	Name string // the file's, without its extension
	// About says in a line what the story is about.
	About string
	// Files are the repository's, but for the models' own.
	Files  map[string]string
	Script string
	flags  string
	// Triton is the recorded outcome of the real server; Conch is the engine's where it is meant to differ, and Why says why.
	Triton, Conch, Why string

	path     string
	sections []sections.Section
}

// Read reads the story in a file.
func Read(path string) (*Case, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read a scenario: %w", err)
	}
	about, list, err := sections.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read the scenario %s: %w", path, err)
	}
	c := &Case{
		Name: strings.TrimSuffix(filepath.Base(path), Extension), About: about, Files: map[string]string{}, path: path, sections: list,
	}
	for _, s := range list {
		if part := c.part(s.Name); part != nil {
			*part = s.Text
		} else {
			c.Files[s.Name] = strings.TrimSpace(s.Text) + "\n"
		}
	}
	return c, nil
}

// part is where the text of a section goes; nil for a file.
func (c *Case) part(section string) *string {
	switch section {
	case "script":
		return &c.Script
	case "flags":
		return &c.flags
	case "triton":
		return &c.Triton
	case "conch":
		return &c.Conch
	case "why":
		return &c.Why
	}
	return nil
}

// Expected is what Conch's engine must do.
func (c *Case) Expected() string {
	if c.Conch != "" {
		return c.Conch
	}
	return c.Triton
}

// Record writes what the real server did into the story's file.
func (c *Case) Record(outcome string) error {
	c.set("triton", outcome)
	return c.write()
}

// RecordConch writes what Conch does into the story's file, where that is not what the real server did. Why is for a
// person to write.
func (c *Case) RecordConch(outcome string) error {
	why := c.Why
	if outcome == c.Triton {
		outcome, why = "", ""
	}
	c.set("conch", outcome)
	c.set("why", why)
	return c.write()
}

// set replaces a section, or adds it at the end. Without a text it goes.
func (c *Case) set(name, text string) {
	at := slices.IndexFunc(c.sections, func(s sections.Section) bool { return s.Name == name })
	switch {
	case text == "" && at >= 0:
		c.sections = slices.Delete(c.sections, at, at+1)
	case at >= 0:
		c.sections[at].Text = text
	case text != "":
		c.sections = append(c.sections, sections.Section{Name: name, Text: text})
	}
}

func (c *Case) write() error {
	made, err := sections.Format(c.About, c.sections)
	if err == nil {
		err = os.WriteFile(c.path, made, 0o644)
	}
	if err != nil {
		return fmt.Errorf("record the scenario %s: %w", c.Name, err)
	}
	return nil
}

// Flags are what the server is started with, beside what all are and what AtStart says.
func (c *Case) Flags() []string {
	return slices.DeleteFunc(strings.Fields(c.flags), func(f string) bool { return strings.HasPrefix(f, loadModel) })
}

const loadModel = "--load-model="

// AtStart are the models that are loaded at start; all unless the flags name some.
func (c *Case) AtStart() []string {
	var models []string
	for _, f := range strings.Fields(c.flags) {
		if model, ok := strings.CutPrefix(f, loadModel); ok {
			models = append(models, model)
		}
	}
	if models == nil {
		return []string{"*"}
	}
	return models
}

// Models are the folders of models that need a model file: all but ensembles.
func (c *Case) Models() []string {
	var models []string
	for path, text := range c.Files {
		if name, ok := strings.CutSuffix(path, "/config.pbtxt"); ok && !strings.Contains(text, "ensemble_scheduling") {
			models = append(models, name)
		}
	}
	return models
}

// Lay writes the repository under root: the configs, a version 1 of each model, holding file where it is no ensemble.
func (c *Case) Lay(root, name string, file []byte) error {
	files := map[string]string{}
	for path, text := range c.Files {
		files[path] = text
		if model, ok := strings.CutSuffix(path, "/config.pbtxt"); ok {
			files[model+"/1/.keep"] = ""
		}
	}
	for _, model := range c.Models() {
		files[model+"/1/"+name] = string(file)
	}
	for path, text := range files {
		at := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return fmt.Errorf("lay out a scenario: %w", err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			return fmt.Errorf("lay out a scenario: %w", err)
		}
	}
	return nil
}
