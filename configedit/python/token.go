package python

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is what a token is.
type kind uint8

const (
	name kind = iota
	number
	str
	operator
)

// token is a word of a program.
type token struct {
	kind kind
	// text is the word, or the text of a string between its quotes.
	text string
	line int
	// field means that it is in the braces of an f-string. It comes before the string.
	field bool
}

func (t token) is(text string) bool { return t.kind != str && t.text == text }

// logical is a line of a program as Python sees it: its tokens, without the line breaks inside of brackets.
type logical struct {
	tokens []token
	// indent is how many columns it is indented, with tabs to the next multiple of 8; narrow counts a tab as one column.
	indent, narrow int
}

// lexer cuts a program into logical lines.
type lexer struct {
	text string
	at   int
	line int
	// nested means that an f-string may hold a string with the same quotes, as since Python 3.12.
	nested bool
	fields int     // the f-strings whose braces are open
	open   []token // the brackets that are open
	now    logical
	lines  []logical
	err    *SyntaxError
}

// lex cuts a text into lines, up to the first mistake.
func lex(text string, nested bool) ([]logical, *SyntaxError) {
	l := &lexer{text: strings.TrimPrefix(text, "\ufeff"), line: 1, nested: nested}
	l.begin()
	for l.at < len(l.text) && l.err == nil {
		l.next()
	}
	l.end()
	if n := len(l.open); n > 0 && l.err == nil {
		l.fail(l.open[n-1].line, "'"+l.open[n-1].text+"' was never closed")
	}
	return l.lines, l.err
}

func (l *lexer) fail(line int, message string) {
	if l.err == nil {
		l.err = &SyntaxError{Line: line, Message: message}
	}
}

// begin reads the indentation of a line.
func (l *lexer) begin() {
	l.now = logical{}
	for ; l.at < len(l.text); l.at++ {
		switch l.text[l.at] {
		case ' ':
			l.now.indent++
			l.now.narrow++
		case '\t':
			l.now.indent += 8 - l.now.indent%8
			l.now.narrow++
		case '\f':
			l.now.indent, l.now.narrow = 0, 0
		default:
			return
		}
	}
}

// end adds the line that was read, if it is not empty.
func (l *lexer) end() {
	if len(l.now.tokens) > 0 {
		l.lines = append(l.lines, l.now)
	}
}

func (l *lexer) add(k kind, text string, line int) {
	l.now.tokens = append(l.now.tokens, token{kind: k, text: text, line: line, field: l.fields > 0})
}

// next reads one token, space or comment.
func (l *lexer) next() {
	c := l.text[l.at]
	switch {
	case c == '\r' && strings.HasPrefix(l.text[l.at:], "\r\n"):
		l.at++
	case c == '\n' || c == '\r':
		l.newline()
	case c == ' ' || c == '\t' || c == '\f':
		l.at++
	case c == '#':
		for l.at < len(l.text) && l.text[l.at] != '\n' && l.text[l.at] != '\r' {
			l.at++
		}
	case c == '\\':
		l.join()
	case isLetter(c):
		l.word()
	case isDigit(c) || c == '.' && l.at+1 < len(l.text) && isDigit(l.text[l.at+1]):
		l.number()
	case c == '"' || c == '\'':
		l.str("")
	default:
		l.operator(c)
	}
}

func (l *lexer) newline() {
	l.at++
	l.line++
	if len(l.open) == 0 {
		l.end()
		l.begin()
	}
}

// join reads a backslash, which joins a line with the next.
func (l *lexer) join() {
	rest := strings.TrimPrefix(l.text[l.at+1:], "\r")
	if !strings.HasPrefix(rest, "\n") {
		l.fail(l.line, "unexpected character after line continuation character")
		return
	}
	l.at = len(l.text) - len(rest) + 1
	l.line++
}

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (l *lexer) word() {
	begin := l.at
	for l.at < len(l.text) && (isLetter(l.text[l.at]) || isDigit(l.text[l.at])) {
		l.at++
	}
	word := l.text[begin:l.at]
	if l.at < len(l.text) && (l.text[l.at] == '"' || l.text[l.at] == '\'') && prefixes[strings.ToLower(word)] {
		l.str(strings.ToLower(word))
		return
	}
	l.add(name, word, l.line)
}

// prefixes are the words that may come before a string.
var prefixes = map[string]bool{
	"r": true, "u": true, "b": true, "br": true, "rb": true, "f": true, "fr": true, "rf": true, "t": true, "tr": true, "rt": true,
}

// number reads a number up to where it surely ends. A word may follow at once, as in 1if x else 2.
func (l *lexer) number() {
	begin := l.at
	switch {
	case l.prefixed("xX"):
		l.digits("abcdefABCDEF")
	case l.prefixed("bBoO"):
		l.digits("")
	default:
		l.decimal()
	}
	l.add(number, l.text[begin:l.at], l.line)
}

// prefixed moves after a zero and one of the letters, if they are next.
func (l *lexer) prefixed(letters string) bool {
	found := l.text[l.at] == '0' && l.at+1 < len(l.text) && strings.IndexByte(letters, l.text[l.at+1]) >= 0
	if found {
		l.at += 2
	}
	return found
}

// digits moves after digits, and letters that count as such.
func (l *lexer) digits(letters string) {
	for l.at < len(l.text) && (isDigit(l.text[l.at]) || l.text[l.at] == '_' || strings.IndexByte(letters, l.text[l.at]) >= 0) {
		l.at++
	}
}

// decimal moves after a number with its fraction, its exponent and the letter of an imaginary one.
func (l *lexer) decimal() {
	l.digits("")
	if l.at < len(l.text) && l.text[l.at] == '.' {
		l.at++
		l.digits("")
	}
	if l.at < len(l.text) && l.text[l.at]|0x20 == 'e' {
		exponent := l.at + 1
		if exponent < len(l.text) && (l.text[exponent] == '+' || l.text[exponent] == '-') {
			exponent++
		}
		if exponent < len(l.text) && isDigit(l.text[exponent]) {
			l.at = exponent
			l.digits("")
		}
	}
	if l.at < len(l.text) && l.text[l.at]|0x20 == 'j' {
		l.at++
	}
}

// closing are the brackets that close others.
var closing = map[byte]string{')': "(", ']': "[", '}': "{"}

func (l *lexer) operator(c byte) {
	switch {
	case c == '(' || c == '[' || c == '{':
		l.push(string(c))
	case closing[c] != "":
		l.close(c)
	case c == '$' || c == '?' || c == '`':
		l.fail(l.line, "invalid syntax")
	}
	length := 1
	for _, two := range [...]string{":=", "==", "!=", "<=", ">=", "->", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@="} {
		if strings.HasPrefix(l.text[l.at:], two) {
			length = 2
		}
	}
	l.add(operator, l.text[l.at:l.at+length], l.line)
	l.at += length
}

// maxOpen is how many brackets may be open in Python.
const maxOpen = 200

func (l *lexer) push(bracket string) {
	if len(l.open) >= maxOpen {
		l.fail(l.line, "too many nested parentheses")
		return
	}
	l.open = append(l.open, token{kind: operator, text: bracket, line: l.line})
}

func (l *lexer) close(c byte) {
	n := len(l.open)
	if n == 0 {
		l.fail(l.line, "unmatched '"+string(c)+"'")
		return
	}
	if top := l.open[n-1]; top.text != closing[c] {
		message := "closing parenthesis '" + string(c) + "' does not match opening parenthesis '" + top.text + "'"
		if top.line != l.line {
			message += " on line " + strconv.Itoa(top.line)
		}
		l.fail(l.line, message)
		return
	}
	l.open = l.open[:n-1]
}
