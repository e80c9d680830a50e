package template

import (
	"regexp"
	"strings"

	"conch/configedit/diag"
)

// scanner walks over a text once and knows what may be written at its place.
type scanner struct {
	src string
	pos int
	// numeric reports whether the values of a field are numbers, by the field's name.
	numeric func(field string) bool
	// quote opened the string that pos is in, 0 outside of strings.
	quote byte
	// comment means that pos is in a comment.
	comment bool
	// last is the last byte that is neither blank nor in a comment or string.
	last byte
	// lists counts the open brackets.
	lists int
	// word is the last word outside of strings, inWord tells that it goes on, and field is the one before the last colon
	// or bracket.
	word, field diag.Span
	inWord      bool
}

// marks finds the placeholders that are not in comments.
func marks(src []byte, forms *regexp.Regexp, numeric func(string) bool) []mark {
	s := &scanner{src: string(src), numeric: numeric}
	var found []mark
	for _, at := range placesOf(forms, s.src) {
		if at[0] < s.pos {
			continue // a part of the one before
		}
		s.advance(at[0])
		if f := formOf(s.src[at[0]:at[1]]); !s.comment && s.counts(f, at[0], at[1]) {
			found = append(found, s.take(f, at[0], at[1]))
		}
	}
	return counted(found)
}

// placesOf finds the forms line by line. None goes on in another line, and the search in short texts is many times faster.
func placesOf(forms *regexp.Regexp, src string) [][]int {
	var found [][]int
	start := 0
	for line := range strings.Lines(src) {
		// A string goes on behind a backslash at the end of a line; where it ends is not known there.
		if mayHold(line) || strings.HasSuffix(src[:start], "\\\n") {
			for _, at := range forms.FindAllStringIndex(line, -1) {
				found = append(found, []int{start + at[0], start + at[1]})
			}
		}
		start += len(line)
	}
	return found
}

// mayHold reports whether a line has what a form begins with: a sign, a brace that is not the last of
// its line, or a word in capitals. Words in quotes are no names, but for INSERT_NAME and its like,
// and TYPE_FP32 and KIND_GPU are values, so that most lines of a config are not searched.
func mayHold(line string) bool {
	var quote byte
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case isWord(b):
			end := i + 1
			for end < len(line) && isWord(line[end]) {
				end++
			}
			if mayName(line[i:end], quote != 0) {
				return true
			}
			i = end - 1
		case b == '#' && (i+1 == len(line) || !isWord(line[i+1])) && quote == 0:
			return false // the rest is a comment
		case b == '#', b == '$', b == '@', b == '%', b == '<':
			return true
		case b == '{' && strings.TrimSpace(line[i+1:]) != "":
			return true
		case b == '\\':
			i++
		case b == quote:
			quote = 0
		case quote == 0 && (b == '"' || b == '\''):
			quote = b
		}
	}
	return false
}

// mayName reports whether a word may be a form by itself.
func mayName(word string, quoted bool) bool {
	if quoted {
		return isWordForm(word)
	}
	return inCapitals(word) && isName(word)
}

// inCapitals reports whether a word has capitals, digits and underscores alone, and begins with a
// capital behind its underscores.
func inCapitals(word string) bool {
	for i := range len(word) {
		if b := word[i]; b >= 'a' && b <= 'z' {
			return false
		}
	}
	word = strings.TrimLeft(word, "_")
	return word != "" && word[0] >= 'A'
}

func (s *scanner) advance(to int) {
	for s.pos < to {
		s.step(s.src[s.pos])
		s.pos++
	}
}

func (s *scanner) step(c byte) {
	word := false
	switch {
	case s.comment:
		s.comment = c != '\n'
	case s.quote != 0:
		if c == '\\' {
			s.pos++
		} else if c == s.quote || c == '\n' {
			s.quote = 0
		}
	case c == '#':
		s.comment = true
	case c == '"' || c == '\'':
		s.quote, s.last = c, c
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
	default:
		word = isWord(c)
		s.outside(c)
	}
	s.inWord = word
}

func (s *scanner) outside(c byte) {
	switch {
	case isWord(c) && s.inWord:
		s.word.End++
	case isWord(c):
		s.word = diag.Span{Start: s.pos, End: s.pos + 1}
	case c == ':' || c == '[' && isWord(s.last):
		s.field = s.word
	}
	if c == '[' {
		s.lists++
	} else if c == ']' && s.lists > 0 {
		s.lists--
	}
	s.last = c
}

// take makes a mark of a placeholder. Outside of strings the word that it is a part of belongs to it: KIND_${KIND}.
func (s *scanner) take(f form, start, end int) mark {
	name, fallback := reading(s.src[start:end], f)
	m := mark{name: name, fallback: fallback, form: f, where: InText, span: diag.Span{Start: start, End: end}}
	if s.quote == 0 {
		m.where = s.meaning(name)
		if m.where == InValue {
			for start > 0 && isWord(s.src[start-1]) {
				start--
			}
			for end < len(s.src) && isWord(s.src[end]) {
				end++
			}
		}
	}
	m.whole = diag.Span{Start: start, End: end}
	s.pos = end
	return m
}

// meaning returns what a placeholder outside strings stands for.
func (s *scanner) meaning(name string) Where {
	if name == "" || !s.beginsValue() {
		return InBlock
	}
	if s.lists == 0 {
		s.last = 'x' // a field follows
	}
	return InValue
}

// beginsValue reports whether a value begins here: what follows a colon, an opening bracket or a comma in a list, or is a
// part of a word that does.
func (s *scanner) beginsValue() bool {
	before := s.pos
	for before > 0 && (isWord(s.src[before-1]) || s.src[before-1] == '-') {
		before--
	}
	last := s.last
	if before < s.pos {
		for before > 0 && (s.src[before-1] == ' ' || s.src[before-1] == '\t') {
			before--
		}
		last = s.src[max(before-1, 0)]
	}
	return last == ':' || last == '[' || last == ',' && s.lists > 0
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
