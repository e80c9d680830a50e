package environments

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// always is installed beside what a list asks for: a Python model cannot be run without it.
	always = "numpy"
	// longestList bounds a list, and those that it includes.
	longestList = 1 << 20
	// deepestList bounds how lists include each other.
	deepestList = 8
)

// Requirements is a list of packages, in pip's language.
type Requirements struct {
	file  string   // where it lies; "" for one that is only text
	texts []string // its own text, and those that it includes
	more  []string // packages beside those of the list
	local bool     // it names files or folders, so that its place counts
}

// With returns the list with more packages.
func (r Requirements) With(packages ...string) Requirements {
	r.more = packages
	return r
}

// Packages returns a list of packages without a file.
func Packages(lines ...string) Requirements {
	return Requirements{texts: []string{strings.Join(lines, "\n")}}
}

// Read reads a list, and those that it includes by -r and -c.
func Read(file string) (Requirements, error) {
	r := Requirements{file: file}
	err := r.read(file, 0)
	return r, err
}

func (r *Requirements) read(file string, depth int) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Size() > longestList || depth > deepestList || len(r.texts) > 100:
		return fmt.Errorf("%s is no list of packages: it is too large, too deep, or no file", file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r.texts = append(r.texts, string(text))
	for _, line := range lines(string(text)) {
		if included := includes(line); included != "" && !strings.Contains(included, "://") {
			if !filepath.IsAbs(included) {
				included = filepath.Join(filepath.Dir(file), included)
			}
			if err := r.read(included, depth+1); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		r.local = r.local || isLocal(line)
	}
	return nil
}

// includes returns the list that a line includes.
func includes(line string) string {
	for _, option := range []string{"-r", "--requirement", "-c", "--constraint"} {
		if rest, is := strings.CutPrefix(line, option); is {
			return strings.Trim(strings.TrimLeft(rest, " =\t"), `"'`)
		}
	}
	return ""
}

// isLocal reports whether a line may name a file or a folder.
func isLocal(line string) bool {
	for _, start := range []string{".", "/", "-e", "--editable", "-f", "--find-links"} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return strings.Contains(line, "file:") || strings.Contains(line, "@ .")
}

// lines returns the lines of a list that say something.
func lines(text string) (list []string) {
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		if at := strings.Index(line, " #"); at >= 0 {
			line = line[:at]
		}
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	return list
}

// Lines returns what the list asks for, for people. What it includes is in place of the lines that include it.
func (r Requirements) Lines() (list []string) {
	for _, text := range r.texts {
		for _, line := range lines(text) {
			if included := includes(line); included == "" || strings.Contains(included, "://") {
				list = append(list, line)
			}
		}
	}
	return append(list, r.more...)
}

// parts are what makes this list another one than others.
func (r Requirements) parts() []string {
	place := ""
	if r.local {
		place = r.file
	}
	return slices.Concat([]string{place}, r.texts, []string{"and"}, r.more)
}

// arguments are those of `pip install`. A list with hashes is complete: pip takes no package without one beside it.
func (r Requirements) arguments() []string {
	list := r.more
	if r.file != "" {
		list = append([]string{"-r", r.file}, list...)
	} else {
		list = append(r.Lines(), list...)
	}
	if slices.ContainsFunc(r.texts, func(text string) bool { return strings.Contains(text, "--hash=") }) {
		return list
	}
	return append(list, always)
}

// folder is where relative paths of the list begin.
func (r Requirements) folder() string {
	if r.file == "" {
		return ""
	}
	return filepath.Dir(r.file)
}
