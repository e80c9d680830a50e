package tensorjson

import (
	"fmt"
	"strings"
)

// maxNesting is more than any tensor needs.
const maxNesting = 64

// scanner finds the elements of an array without building it.
type scanner struct {
	text string
	at   int
}

// array calls element for every element of a nested or flat array, in order. A single value counts as an array of one.
func (s *scanner) array(element func(string) error) error {
	s.blanks()
	if s.peek() != '[' {
		return s.single(element)
	}
	depth := 0
	afterValue := false // a comma or a closing bracket must follow
	for {
		s.blanks()
		switch c := s.peek(); {
		case c == 0:
			return s.fail("a closing bracket ] is missing at the end")
		case c == '[' && !afterValue:
			if depth++; depth > maxNesting {
				return s.fail("it is nested too deeply")
			}
			s.at++
			afterValue = s.closesAtOnce()
		case c == ']' && afterValue:
			s.at++
			if depth--; depth == 0 {
				return s.end()
			}
		case c == ',' && afterValue:
			s.at++
			afterValue = false
		case afterValue:
			return s.fail("a comma or ] is expected")
		default:
			if err := s.value(element); err != nil {
				return err
			}
			afterValue = true
		}
	}
}

// closesAtOnce reports whether the array just opened is empty.
func (s *scanner) closesAtOnce() bool {
	s.blanks()
	return s.peek() == ']'
}

func (s *scanner) single(element func(string) error) error {
	if s.peek() == 0 {
		return fmt.Errorf("there are no values; write them as a JSON array, for example [1, 2, 3]")
	}
	if err := s.value(element); err != nil {
		return err
	}
	return s.end()
}

// end checks that nothing follows.
func (s *scanner) end() error {
	s.blanks()
	if s.peek() != 0 {
		return s.fail("nothing may follow the values")
	}
	return nil
}

func (s *scanner) value(element func(string) error) error {
	from := s.at
	if s.peek() == '"' {
		if !s.quoted() {
			return s.fail("a closing quote is missing")
		}
	} else {
		for s.at < len(s.text) && !endsWord(s.text[s.at]) {
			s.at++
		}
	}
	if s.at == from {
		return s.fail("a value is expected")
	}
	return element(s.text[from:s.at])
}

func endsWord(c byte) bool {
	switch c {
	case ',', '[', ']', '{', '}', '"', ' ', '\t', '\r', '\n':
		return true
	}
	return false
}

// quoted skips a string.
func (s *scanner) quoted() bool {
	for i := s.at + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '"':
			s.at = i + 1
			return true
		}
	}
	return false
}

func (s *scanner) blanks() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\n' || s.text[s.at] == '\t' || s.text[s.at] == '\r') {
		s.at++
	}
}

func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) fail(what string) error {
	line := 1 + strings.Count(s.text[:s.at], "\n")
	column := s.at - strings.LastIndexByte(s.text[:s.at], '\n')
	if found := shorten(s.text[s.at:]); found != "" {
		return fmt.Errorf("the values are not a JSON array: %s at line %d, column %d, before %q", what, line, column, found)
	}
	return fmt.Errorf("the values are not a JSON array: %s", what)
}
