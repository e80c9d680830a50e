package explain

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"golang.org/x/tools/txtar"

	"conch/configedit/check"
	"conch/configedit/folder"
	"conch/configedit/rule"
)

// Mark says on which side of an example a line is.
type Mark byte

// The sides of an example.
const (
	Both  Mark = ' '
	Wrong Mark = '-'
	Right Mark = '+'
)

// Line is a line of an example. One of a file other than the config has the file's path in front, with a colon.
type Line struct {
	Mark Mark
	Text string
}

// example is the difference between the model that breaks a rule and the one that does not, in the golden case of the
// rule in which it is the smallest; nil where no case has both.
func example(r *rule.Rule) []Line {
	paths, err := fs.Glob(check.Cases, "testdata/"+r.Case()+"*.txtar")
	if err != nil {
		return nil
	}
	var best []Line
	for _, path := range paths {
		src, err := fs.ReadFile(check.Cases, path)
		if err != nil {
			return nil
		}
		lines := exampleOf(r, txtar.Parse(src).Files)
		if lines != nil && (best == nil || changes(lines) < changes(best)) {
			best = lines
		}
	}
	return best
}

// changes counts the lines that are on one side only.
func changes(lines []Line) int {
	n := 0
	for _, l := range lines {
		if l.Mark != Both {
			n++
		}
	}
	return n
}

// exampleOf returns the example in one golden case, or nil.
func exampleOf(r *rule.Rule, sections []txtar.File) []Line {
	wrong, right, want := modelFiles(sections, "bad"), modelFiles(sections, "near"), ""
	for _, s := range sections {
		if s.Name == "want" {
			want = string(s.Data)
		}
	}
	if len(wrong) == 0 || len(right) == 0 || !broken(want, "bad", r) || broken(want, "near", r) {
		return nil
	}
	return compare(wrong, right)
}

// broken reports whether a golden case says that a model breaks a rule.
func broken(want, model string, r *rule.Rule) bool {
	for line := range strings.Lines(want) {
		if strings.HasPrefix(line, model+" ") || strings.HasPrefix(line, model+":") {
			if strings.Contains(line, " "+r.ID+": ") {
				return true
			}
		}
	}
	return false
}

// modelFiles are the lines of the files of a model in a golden case, by path. A file of one letter stands for any
// content; it has no lines.
func modelFiles(sections []txtar.File, model string) map[string][]string {
	files := map[string][]string{}
	for _, s := range sections {
		path, own := strings.CutPrefix(s.Name, model+"/")
		if !own {
			continue
		}
		files[path] = nil
		for line := range strings.Lines(string(s.Data)) {
			if line = strings.TrimSuffix(line, "\n"); line != "x" && line != "pass" {
				files[path] = append(files[path], printable(line))
			}
		}
	}
	return files
}

// printable writes invisible characters as Go does.
func printable(s string) string {
	var b strings.Builder
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r) || r == '\t':
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// config is the file that an example shows first, and without its name.
const config = folder.ConfigName

// compare returns the difference between two models, or nil.
func compare(wrong, right map[string][]string) []Line {
	lines := abridged(difference(wrong[config], right[config]))
	for _, mark := range []Mark{Both, Wrong, Right} {
		for _, path := range slices.Sorted(maps.Keys(union(wrong, right))) {
			if path != config && side(path, wrong, right) == mark {
				lines = append(lines, otherFile(path, mark, difference(wrong[path], right[path]))...)
			}
		}
	}
	if !slices.ContainsFunc(lines, func(l Line) bool { return l.Mark != Both }) {
		return nil
	}
	return lines
}

// side returns which of the models has a file.
func side(path string, wrong, right map[string][]string) Mark {
	_, isWrong := wrong[path]
	_, isRight := right[path]
	switch {
	case isWrong && isRight:
		return Both
	case isWrong:
		return Wrong
	}
	return Right
}

func union(a, b map[string][]string) map[string]bool {
	all := map[string]bool{}
	for path := range a {
		all[path] = true
	}
	for path := range b {
		all[path] = true
	}
	return all
}

// mostLines bounds the lines shown of a file beside the config.
const mostLines = 8

// otherFile shows a file beside the config: one that only one side has, and one whose content matters.
func otherFile(path string, mark Mark, lines []Line) []Line {
	if mark == Both && len(lines) == 0 {
		return nil
	}
	if len(lines) > mostLines {
		lines = append(lines[:mostLines:mostLines], Line{lines[mostLines].Mark, "…"})
	}
	head := Line{mark, path}
	if len(lines) > 0 {
		head.Text += ":"
	}
	out := []Line{head}
	for _, l := range lines {
		out = append(out, Line{l.Mark, "  " + l.Text})
	}
	return out
}

// short is how many lines are shown whole. In a longer example, around is how many equal lines are shown around a
// difference, and most how many lines one side of it shows.
const (
	short  = 16
	around = 2
	most   = 12
)

// abridged leaves out equal lines far from a difference, and the end of a long side.
func abridged(lines []Line) []Line {
	if len(lines) <= short {
		return lines
	}
	keep := make([]bool, len(lines))
	shown := map[Mark]int{}
	for i, l := range lines {
		if l.Mark == Both {
			continue
		}
		if shown[l.Mark]++; shown[l.Mark] > most {
			continue
		}
		for j := max(0, i-around); j <= min(len(lines)-1, i+around); j++ {
			keep[j] = keep[j] || lines[j].Mark == Both || j == i
		}
	}
	if !slices.Contains(keep, true) { // the difference is elsewhere
		for i := range keep {
			keep[i] = i < most
		}
	}
	var out []Line
	for i, l := range lines {
		switch {
		case keep[i]:
			out = append(out, l)
		case len(out) == 0 || out[len(out)-1].Text != "…":
			out = append(out, Line{Both, "…"})
		}
	}
	return out
}

// difference is a short way from some lines to others.
func difference(a, b []string) []Line {
	wrong, right := text(a), text(b)
	var lines []Line
	add := func(mark Mark, text string) {
		for line := range strings.Lines(text) {
			lines = append(lines, Line{mark, strings.TrimSuffix(line, "\n")})
		}
	}
	at := 0
	for _, e := range udiff.Lines(wrong, right) {
		add(Both, wrong[at:e.Start])
		add(Wrong, wrong[e.Start:e.End])
		add(Right, e.New)
		at = e.End
	}
	add(Both, wrong[at:])
	return lines
}

func text(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	return b.String()
}
