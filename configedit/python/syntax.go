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
	lines, err := readAs(string(text), false)
	if err == nil {
		return lines, nil
	}
	if newer, wrong := readAs(string(text), true); wrong == nil || *wrong != *err {
		return newer, nil
	}
	return nil, err
}

// readAs cuts a text into lines and finds what Python would tell of first. nested means that an f-string may hold a string with the
// same quotes.
func readAs(text string, nested bool) ([]logical, *SyntaxError) {
	lines, err := lex(text, nested)
	if before := layout(lines, err); before != nil && (err == nil || before.ofTokens() || !err.ofTokens()) {
		err = before
	}
	if err != nil && err.Kind == "" {
		err.Kind = "SyntaxError"
	}
	return lines, err
}

// noBlock begins what Python says, with words that its releases do not share.
const noBlock = "expected an indented block"

const unexpectedIndent = "unexpected indent"

// maxLevels is how deep a program may be indented in Python.
const maxLevels = 100

// blocks are the words that begin a statement whose block follows a colon.
var blocks = map[string]bool{
	"async": true, "class": true, "def": true, "elif": true, "else": true, "except": true, "finally": true, "for": true, "if": true,
	"try": true, "while": true, "with": true,
}

// ofTokens reports whether Python finds a mistake as it cuts the text into tokens. It tells the first of them, even where the
// grammar is broken in a line before it, unless that line is indented without a reason.
func (e *SyntaxError) ofTokens() bool {
	for _, begin := range []string{unexpectedIndent, "unmatched", "closing parenthesis", "unterminated", "unindent", "inconsistent", "too many levels"} {
		if strings.HasPrefix(e.Message, begin) {
			return true
		}
	}
	return false
}

// layout finds the first line that is indented in a wrong way or has a mistake of the grammar. cut is the mistake that cut the
// last line off, if one did.
func layout(lines []logical, cut *SyntaxError) *SyntaxError {
	levels := []logical{{}}
	opens := false // the line before ends with a colon
	for i, l := range lines {
		at := l.tokens[0].line
		cutHere := cut
		if i < len(lines)-1 {
			cutHere = nil
		}
		deeper, wrong := l.level(&levels)
		switch {
		case wrong != nil:
			return wrong
		case deeper && !opens:
			return &SyntaxError{Line: at, Kind: "IndentationError", Message: unexpectedIndent}
		case !deeper && opens:
			return &SyntaxError{Line: at, Kind: "IndentationError", Message: noBlock}
		}
		if m := l.mistake(cutHere); m != nil {
			return m
		}
		opens = l.tokens[len(l.tokens)-1].is(":")
	}
	if opens && cut == nil {
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
