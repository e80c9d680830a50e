package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"conch/build/oracle/recorded"
)

// trial asks both about repositories, one after the other.
type trial struct {
	server  *server
	conch   string
	tally   map[outcome]int
	asked   int
	verbose bool
	// kept are answers for the fixture, by the template of their words.
	kept []recorded.Repository
}

// one asks about the models of one repository. Their names begin with a prefix of their own, so that the server
// never mixes a case up with an earlier one.
func (t *trial) one(ctx context.Context, prefix string, files map[string]string) error {
	named := map[string]string{}
	for path, content := range files {
		if !strings.HasSuffix(path, ".onnx") {
			content = strings.ReplaceAll(content, "Q_", prefix)
		}
		named[strings.ReplaceAll(path, "Q_", prefix)] = content
	}
	if err := lay(t.server.repository, named); err != nil {
		return err
	}
	found, err := ask(ctx, t.conch, t.server.repository)
	if err != nil {
		return err
	}
	models := modelsOf(named)
	r := recorded.Repository{Name: strings.TrimSuffix(prefix, "_"), Files: named, Answers: map[string]recorded.Answer{}}
	good := true
	for _, model := range models {
		a, err := t.server.load(ctx, model)
		if err == nil && a.Died && !hasError(found[model]) { // once more: Python's stubs sometimes hang by themselves
			a, err = t.server.load(ctx, model)
		}
		if err != nil {
			return err
		}
		o := compare(a, found[model])
		switch {
		case o == verdict && !a.Taken && inferred(named, model):
			o = beside // Conch says nothing of shapes that only a session of ONNX Runtime knows
		case o == agree && a.Taken && !inferred(named, model):
			if o, err = t.compareConfigs(ctx, model); err != nil {
				return err
			}
		}
		t.tally[o]++
		t.asked++
		if o == agree {
			a.Words = strings.ReplaceAll(a.Words, t.server.repository, "REPOSITORY")
			r.Answers[model] = a
		} else if o != beside {
			good = false
			t.tell(o, model, named, a, found[model])
		}
	}
	if good && len(r.Answers) > 0 {
		t.kept = append(t.kept, r)
	}
	t.server.unload(ctx, models)
	return clear(t.server.repository)
}

// modelsOf are the folders, ensembles first: what a model's own load leaves behind must not help them.
func modelsOf(files map[string]string) []string {
	var names []string
	for path := range files {
		name, _, _ := strings.Cut(path, "/")
		names = append(names, name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	slices.SortStableFunc(names, func(a, b string) int { return rank(files, a) - rank(files, b) })
	return names
}

func rank(files map[string]string, model string) int {
	if strings.Contains(files[model+"/config.pbtxt"], "ensemble") {
		return 0
	}
	return 1
}

func lay(root string, files map[string]string) error {
	for path, content := range files {
		at := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return fmt.Errorf("lay out a case: %w", err)
		}
		if err := os.WriteFile(at, []byte(content), 0o644); err != nil {
			return fmt.Errorf("lay out a case: %w", err)
		}
	}
	return nil
}

func clear(root string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return fmt.Errorf("clear a case: %w", err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(root, e.Name())); err != nil {
			return fmt.Errorf("clear a case: %w", err)
		}
	}
	return nil
}

// tell prints a disagreement so that it can become a golden case.
func (t *trial) tell(o outcome, model string, files map[string]string, a recorded.Answer, found []finding) {
	fmt.Printf("==== %s: %s\n", o, model)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(path, model+"/") || o != verdict || t.verbose || strings.HasSuffix(path, "config.pbtxt") {
			fmt.Printf("-- %s --\n%s", path, shown(files[path]))
		}
	}
	fmt.Printf("-- server --\ntaken %t died %t: %s\n-- conch --\n", a.Taken, a.Died, a.Words)
	for _, f := range found {
		first := " "
		if f.First {
			first = "*"
		}
		fmt.Printf("%s %s %s:%d %s\n    %s\n", first, f.Severity, f.Code, f.Line, f.Message, f.Triton)
	}
}

// shown is the content of a file, or the name of the model that it is.
func shown(content string) string {
	for _, name := range slices.Sorted(maps.Keys(onnxModels)) {
		if content == modelFile(name) {
			return modelLine + name + "\n"
		}
	}
	return strings.ToValidUTF8(content, "\ufffd")
}

// fixtureSize is how many repositories go test replays.
const fixtureSize = 300

// write keeps the rarest refusals first and fills up with what the server takes.
func (t *trial) write(dir string) error {
	seen := map[string]int{}
	rarity := func(r recorded.Repository) int {
		best := 1 << 30
		for model, a := range r.Answers {
			best = min(best, seen[template(a.Words, model)])
		}
		return best
	}
	var chosen []recorded.Repository
	left := t.kept
	for round := 0; len(chosen) < fixtureSize && len(left) > 0; round++ {
		var rest []recorded.Repository
		for _, r := range left {
			if len(chosen) < fixtureSize && rarity(r) <= round {
				chosen = append(chosen, r)
				for model, a := range r.Answers {
					seen[template(a.Words, model)]++
				}
			} else {
				rest = append(rest, r)
			}
		}
		left = rest
	}
	return recorded.Write(dir, chosen)
}

// template is a sentence without what differs from case to case.
func template(words, model string) string {
	words = strings.ReplaceAll(words, model, "")
	words = quoted.ReplaceAllString(words, "")
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, words)
}
