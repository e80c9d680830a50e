// Package recorded keeps what the real tritonserver said about model repositories: a file for each repository, with its
// files and an answer for each model (build/golden/sections). Command oracle writes them, app/checkcmd replays them.
package recorded

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"conch/build/golden/sections"
)

// Repository is one repository with what the server said about its models.
type Repository struct {
	// Name is the file's, without its extension.
	Name string
	// Files are the repository's, by path.
	Files map[string]string
	// Answers are the server's, by model.
	Answers map[string]Answer
}

// Answer is what the server says to the load of one model.
type Answer struct {
	Taken bool
	// Words is the sentence of a refusal: the answer's, or the log's where the answer only points there. In a file,
	// REPOSITORY stands for the folder of the models.
	Words string
	// Died tells that the server crashed or hung instead of answering.
	Died bool
}

const (
	extension = ".txtar"
	binary    = " base64"
)

// verdict is the word that begins the name of an answer's section. The rest of the name is the model.
func (a Answer) verdict() string {
	switch {
	case a.Taken:
		return "taken"
	case a.Died:
		return "died"
	}
	return "refused"
}

// Read reads all repositories of a folder.
func Read(dir string) ([]Repository, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*"+extension))
	if err != nil {
		return nil, fmt.Errorf("list the recorded repositories: %w", err)
	}
	var all []Repository
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read a recorded repository: %w", err)
		}
		r, err := parse(data)
		if err != nil {
			return nil, fmt.Errorf("read the recorded repository %s: %w", path, err)
		}
		r.Name = strings.TrimSuffix(filepath.Base(path), extension)
		all = append(all, r)
	}
	return all, nil
}

func parse(data []byte) (Repository, error) {
	r := Repository{Files: map[string]string{}, Answers: map[string]Answer{}}
	_, list, err := sections.Parse(data)
	if err != nil {
		return r, err
	}
	for _, s := range list {
		word, model, _ := strings.Cut(s.Name, " ")
		if path, ok := strings.CutSuffix(s.Name, binary); ok {
			content, err := base64.StdEncoding.DecodeString(s.Text)
			if err != nil {
				return r, fmt.Errorf("decode %s: %w", path, err)
			}
			r.Files[path] = string(content)
		} else if a := (Answer{Taken: word == "taken", Died: word == "died", Words: s.Text}); model != "" && a.verdict() == word {
			r.Answers[model] = a
		} else {
			r.Files[s.Name] = s.Text
		}
	}
	return r, nil
}

// Write keeps some repositories in a folder, in place of those that it held.
func Write(dir string, all []Repository) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of recorded repositories: %w", err)
	}
	old, err := filepath.Glob(filepath.Join(dir, "*"+extension))
	if err != nil {
		return fmt.Errorf("list the recorded repositories: %w", err)
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove a recorded repository: %w", err)
		}
	}
	for _, r := range all {
		data, err := r.format()
		if err != nil {
			return fmt.Errorf("record %s: %w", r.Name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, r.Name+extension), data, 0o644); err != nil {
			return fmt.Errorf("record a repository: %w", err)
		}
	}
	return nil
}

func (r Repository) format() ([]byte, error) {
	var list []sections.Section
	for _, path := range slices.Sorted(maps.Keys(r.Files)) {
		content := r.Files[path]
		if utf8.ValidString(content) && !strings.Contains(content, "\x00") {
			list = append(list, sections.Section{Name: path, Text: content})
		} else {
			list = append(list, sections.Section{Name: path + binary, Text: base64.StdEncoding.EncodeToString([]byte(content)) + "\n"})
		}
	}
	for _, model := range slices.Sorted(maps.Keys(r.Answers)) {
		a := r.Answers[model]
		list = append(list, sections.Section{Name: a.verdict() + " " + model, Text: a.Words})
	}
	return sections.Format("", list)
}
