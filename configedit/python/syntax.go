package python

import (
	"strings"
	"unicode/utf8"
)

// SyntaxError is a mistake for which Python surely refuses a file.
type SyntaxError struct {
	// File is the path of the file, relative to the model's folder.
	File string
	Line int
	// Kind is Python's class of the error; Message is its text.
	Kind, Message string
}

// read cuts a program into lines. What the releases of Python read in different ways is a mistake only where it is one to
// all of them.
func read(text []byte) ([]logical, *SyntaxError) {
	if !utf8.Valid(text) || strings.IndexByte(string(text), 0) >= 0 {
		return nil, nil // its encoding may be another one
	}
	lines, err := lex(string(text), false)
	if err != nil {
		newer, wrong := lex(string(text), true)
		if wrong == nil || *wrong != *err {
			lines, err = newer, nil
		}
	}
	if before := layout(lines, err == nil); before != nil {
		err = before
	}
	if err == nil {
		return lines, nil
	}
	if err.Kind == "" {
		err.Kind = "SyntaxError"
	}
	return nil, err
}

// maxLevels is how deep a program may be indented in Python.
const maxLevels = 100

// blocks are the words that begin a statement whose block follows a colon.
var blocks = map[string]bool{
	"async": true, "class": true, "def": true, "elif": true, "else": true, "except": true, "finally": true, "for": true, "if": true,
	"try": true, "while": true, "with": true,
}

// lacksColon reports whether a line begins a block without its colon. A lambda's colon counts as well, so that nothing is refused that
// Python takes.
func (l logical) lacksColon() bool {
	if first := l.tokens[0]; first.kind != name || !blocks[first.text] {
		return false
	}
	depth := 0
	for _, t := range l.tokens {
		switch {
		case t.is("(") || t.is("[") || t.is("{"):
			depth++
		case t.is(")") || t.is("]") || t.is("}"):
			depth--
		case depth == 0 && t.is(":"):
			return false
		}
	}
	return true
}

// layout finds the first line that is indented in a wrong way, or begins a block without a colon; whole tells that the last line is
// not cut off.
func layout(lines []logical, whole bool) *SyntaxError {
	levels := []logical{{}}
	opens := false // the line before ends with a colon
	for i, l := range lines {
		top := levels[len(levels)-1]
		at := l.tokens[0].line
		switch {
		case l.indent == top.indent && l.narrow == top.narrow && !opens:
		case (l.indent > top.indent) != (l.narrow > top.narrow) || l.indent == top.indent && l.narrow != top.narrow:
			return &SyntaxError{Line: at, Kind: "TabError", Message: "inconsistent use of tabs and spaces in indentation"}
		case l.indent > top.indent && !opens:
			return &SyntaxError{Line: at, Kind: "IndentationError", Message: "unexpected indent"}
		case len(levels) >= maxLevels && l.indent > top.indent:
			return &SyntaxError{Line: at, Kind: "IndentationError", Message: "too many levels of indentation"}
		case l.indent > top.indent:
			levels = append(levels, l)
		default:
			for len(levels) > 1 && levels[len(levels)-1].indent > l.indent {
				levels = levels[:len(levels)-1]
			}
			if levels[len(levels)-1].indent != l.indent {
				return &SyntaxError{Line: at, Kind: "IndentationError", Message: "unindent does not match any outer indentation level"}
			}
			if opens {
				return &SyntaxError{Line: at, Kind: "IndentationError", Message: "expected an indented block"}
			}
		}
		if l.lacksColon() && (whole || i < len(lines)-1) {
			return &SyntaxError{Line: l.tokens[len(l.tokens)-1].line, Kind: "SyntaxError", Message: "expected ':'"}
		}
		opens = l.tokens[len(l.tokens)-1].is(":")
	}
	if opens && whole {
		last := lines[len(lines)-1].tokens
		return &SyntaxError{Line: last[len(last)-1].line, Kind: "IndentationError", Message: "expected an indented block"}
	}
	return nil
}
