package python

import "strings"

// str reads a string with its prefix.
func (l *lexer) str(prefix string) {
	line := l.line
	quote := l.text[l.at : l.at+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(l.text[l.at:], triple) {
		quote = triple
	}
	l.at += len(quote)
	begin := l.at
	if !l.toEnd(quote, l.nested && strings.ContainsAny(prefix, "ft")) {
		what := "unterminated string literal"
		if len(quote) == 3 {
			what = "unterminated triple-quoted string literal"
		}
		l.fail(line, what)
		return
	}
	l.add(str, l.text[begin:l.at-len(quote)], line)
}

// toEnd moves after the end of a string. It returns false if the string has no end. In an f-string, what is in braces is an expression.
func (l *lexer) toEnd(quote string, format bool) bool {
	for l.at < len(l.text) {
		switch c := l.text[l.at]; {
		case c == '\\' && l.at+1 < len(l.text):
			l.escape()
			continue
		case strings.HasPrefix(l.text[l.at:], quote):
			l.at += len(quote)
			return true
		case c == '\n' && len(quote) == 1:
			return false
		case c == '\n':
			l.line++
		case c == '{' && format && strings.HasPrefix(l.text[l.at:], "{{"):
			l.at++
		case c == '{' && format:
			l.field()
			continue
		}
		l.at++
	}
	return false
}

// escape moves after a backslash and the characters of its escape.
func (l *lexer) escape() {
	l.at++
	if strings.HasPrefix(l.text[l.at:], "\r\n") {
		l.at++
	}
	if l.text[l.at] == '\n' {
		l.line++
	}
	l.at++
}

// field moves after an expression in the braces of an f-string. Its words count as the program's.
func (l *lexer) field() {
	l.fields++
	defer func() { l.fields-- }()
	before := len(l.open)
	l.push("{")
	l.at++
	for l.at < len(l.text) && l.err == nil && len(l.open) > before {
		if len(l.open) == before+1 && l.text[l.at] == '}' {
			l.open = l.open[:before]
			l.at++
			return
		}
		l.next()
	}
}
