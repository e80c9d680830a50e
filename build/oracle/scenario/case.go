package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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
}

// Read reads the story in a file.
func Read(path string) (*Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read a scenario: %w", err)
	}
	c := &Case{Name: strings.TrimSuffix(filepath.Base(path), ".txt"), Files: map[string]string{}}
	section := ""
	for line := range strings.Lines(string(text)) {
		if head, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(head, " --") {
			section = strings.TrimSuffix(head, " --")
			continue
		}
		*c.part(section, line) += line
	}
	for name, text := range c.Files {
		c.Files[name] = strings.TrimSpace(text) + "\n"
	}
	return c, nil
}

// part is where the lines of a section go; those of a file are added to what it has.
func (c *Case) part(section, line string) *string {
	switch section {
	case "":
		return &c.About
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
	c.Files[section] += line
	return new(string)
}

// Expected is what Conch's engine must do.
func (c *Case) Expected() string {
	if c.Conch != "" {
		return c.Conch
	}
	return c.Triton
}

// Record writes what the real server did into the story's file.
func Record(path, outcome string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read a scenario: %w", err)
	}
	before, after, _ := strings.Cut(string(text), "-- triton --\n")
	rest := ""
	if at := strings.Index(after, "-- conch --\n"); at >= 0 {
		rest = after[at:]
	}
	made := strings.TrimRight(before, "\n") + "\n-- triton --\n" + outcome + rest
	if made == string(text) {
		return nil
	}
	if err := os.WriteFile(path, []byte(made), 0o644); err != nil {
		return fmt.Errorf("record a scenario: %w", err)
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
