// Package traceback reads from the text of a Python error where it was raised. Its functions are pure.
//
// It knows the four forms in which the places come: Triton's ("At:", then one line a place, innermost first), Python's own
// ("File …, line …, in …", outermost first), what a dying Python writes ("File …, line … in …", innermost first), and the place that
// Python puts behind the text of a SyntaxError.
package traceback

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"conch/engine/lastwords"
)

// Place is a line of a program.
type Place struct {
	File string // as Python names it, mostly an absolute path
	Line int
	Name string // of the function; "" where the text has none
}

// Error is an error of a Python program.
type Error struct {
	Message string  // "ValueError: no such thing"
	Places  []Place // where it was raised, then its callers
	Unread  bool    // Python could not read the program: a SyntaxError, or a kind of it
}

var (
	ofTriton = regexp.MustCompile(`^\s+(.+\.py)\((\d+)\): (.+)$`)
	ofPython = regexp.MustCompile(`^\s*File "(.+)", line (\d+)(?:, in (.+))?$`)
	ofDeath  = regexp.MustCompile(`^\s*File "(.+)", line (\d+) in (.+)$`)
	ofSyntax = regexp.MustCompile(`\b(?:Syntax|Indentation|Tab)Error: .*\((\S+\.py), line (\d+)\)$`)
	inFront  = regexp.MustCompile(`^.*?(?:Failed to process the request\(s\) for model '[^']*', message: |Stub process '[^']*' is not healthy\. )`)
)

// Read reads the text of an error. It returns false when the text names no line of a program.
func Read(text string) (Error, bool) {
	e := Error{}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	e.Message = strings.TrimSpace(inFront.ReplaceAllString(lines[0], ""))
	python := 0
	for _, line := range lines {
		line = strings.TrimRight(line, "\r ")
		if m := ofTriton.FindStringSubmatch(line); m != nil {
			e.Places = append(e.Places, place(m[1], m[2], m[3]))
		} else if m := ofPython.FindStringSubmatch(line); m != nil {
			python++
			e.Places = append(e.Places, place(m[1], m[2], m[3]))
		} else if m := ofDeath.FindStringSubmatch(line); m != nil {
			e.Places = append(e.Places, place(m[1], m[2], m[3]))
			e.Message = lastwords.Without(e.Message)
		}
	}
	if python > 0 && python == len(e.Places) {
		slices.Reverse(e.Places)
		e.Message = strings.TrimSpace(lines[len(lines)-1])
	}
	if m := ofSyntax.FindStringSubmatch(e.Message); m != nil {
		e.Places, e.Unread = slices.Insert(e.Places, 0, place(m[1], m[2], "")), true
	}
	return e, len(e.Places) > 0
}

func place(file, line, name string) Place {
	n, _ := strconv.Atoi(line)
	return Place{File: file, Line: n, Name: name}
}
