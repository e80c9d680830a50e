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
	if before := layout(lines, err == nil); before != nil && (err == nil || before.ofTokens() || !err.ofTokens()) {
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

// Messages that are asked for elsewhere.
const (
	noBlock = "expected an indented block"
	// noColon is in Conch's words, since Python has several: "expected ':'" from release 3.10 on if all else in the line is right.
	noColon = "the line begins a block, and its colon is missing"
)

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

// colonLine is the line where the colon is missing: behind the word, where nothing but the colon may follow it, else at the end.
func (l logical) colonLine() int {
	switch first := l.tokens[0]; first.text {
	case "else", "try", "finally":
		return first.line
	}
	return l.tokens[len(l.tokens)-1].line
}

// ofTokens reports whether Python finds a mistake as it cuts the text into tokens. It tells the first of them, even where the
// grammar is broken in a line before it.
func (e *SyntaxError) ofTokens() bool {
	for _, begin := range []string{"unmatched", "closing parenthesis", "unterminated", "unindent", "inconsistent", "too many levels"} {
		if strings.HasPrefix(e.Message, begin) {
			return true
		}
	}
	return false
}

// layout finds the first line that is indented in a wrong way, or begins a block without a colon; whole tells that the last line is
// not cut off.
func layout(lines []logical, whole bool) *SyntaxError {
	levels := []logical{{}}
	opens := false // the line before ends with a colon
	for i, l := range lines {
		at := l.tokens[0].line
		deeper, wrong := l.level(&levels)
		switch {
		case wrong != nil:
			return wrong
		case deeper && !opens:
			return &SyntaxError{Line: at, Kind: "IndentationError", Message: "unexpected indent"}
		case !deeper && opens:
			return &SyntaxError{Line: at, Kind: "IndentationError", Message: noBlock}
		case l.lacksColon() && (whole || i < len(lines)-1):
			return &SyntaxError{Line: l.colonLine(), Kind: "SyntaxError", Message: noColon}
		}
		opens = l.tokens[len(l.tokens)-1].is(":")
	}
	if opens && whole {
		last := lines[len(lines)-1].tokens
		return &SyntaxError{Line: last[len(last)-1].line, Kind: "IndentationError", Message: noBlock}
	}
	return nil
}

// level moves to the level of a line's indentation. deeper tells that it is a new one.
func (l logical) level(levels *[]logical) (deeper bool, wrong *SyntaxError) {
	fail := func(kind, message string) (bool, *SyntaxError) {
		return false, &SyntaxError{Line: l.tokens[0].line, Kind: kind, Message: message}
	}
	top := (*levels)[len(*levels)-1]
	switch {
	case l.indent == top.indent && l.narrow == top.narrow:
		return false, nil
	case (l.indent > top.indent) != (l.narrow > top.narrow) || l.indent == top.indent:
		return fail("TabError", "inconsistent use of tabs and spaces in indentation")
	case l.indent > top.indent && len(*levels) >= maxLevels:
		return fail("IndentationError", "too many levels of indentation")
	case l.indent > top.indent:
		*levels = append(*levels, l)
		return true, nil
	}
	for len(*levels) > 1 && (*levels)[len(*levels)-1].indent > l.indent {
		*levels = (*levels)[:len(*levels)-1]
	}
	if (*levels)[len(*levels)-1].indent != l.indent {
		return fail("IndentationError", "unindent does not match any outer indentation level")
	}
	return false, nil
}
