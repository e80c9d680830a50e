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
	file   string   // where it lies; "" for one that is only text
	texts  []string // its own text, and those that it includes
	lines  []string // of all of them that say something
	more   []string // packages beside those of the list
	local  bool     // it names files or folders, so that its place counts
	stamps []string // of these
}

// With returns the list with more packages.
func (r Requirements) With(packages ...string) Requirements {
	r.more = packages
	return r
}

// Packages returns a list of packages without a file.
func Packages(lines ...string) Requirements {
	return Requirements{texts: []string{strings.Join(lines, "\n")}, lines: lines}
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
	list, err := lines(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	r.texts = append(r.texts, string(text))
	for _, line := range list {
		included, err := include(line)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if included != "" {
			if err := r.read(beside(file, included), depth+1); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			continue
		}
		r.lines = append(r.lines, line)
		for _, path := range local(line) {
			r.local = true // pip begins relative paths at the first list, uv at this one
			r.stamps = slices.Concat(r.stamps, stamps(beside(r.file, path)), stamps(beside(file, path)))
		}
	}
	return nil
}

// beside returns the file that a list names.
func beside(list, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(list), path)
}

// Lines returns what the list asks for, for people. What it includes is in place of the lines that include it.
func (r Requirements) Lines() []string { return slices.Concat(r.lines, r.more) }

// parts are what makes this list another one than others.
func (r Requirements) parts() []string {
	place := ""
	if r.local {
		place = r.file
	}
	return slices.Concat([]string{place}, r.texts, []string{"and"}, r.more, r.stamps)
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
