package text

import "strings"

// word is a token with what a search needs to know about it.
type word struct {
	Token
	symbol byte
	// begins reports whether it is the first of its line.
	begins bool
	line   int
	indent int
}

// consume adds the token at an index to a reading. It returns false if the token needs an assumption there.
func (s *search) consume(r *reading, i int) bool {
	switch r.state {
	case atName, afterValue:
		return s.name(r, i)
	case afterName, atValue:
		return s.value(r, i)
	}
	return s.element(r, i)
}

// name takes a token where a field begins or the message ends.
func (s *search) name(r *reading, i int) bool {
	w := s.words[i]
	switch {
	case w.Kind == EOF:
		return r.top.closer == 0
	case isCloser(w.symbol):
		return s.close(r, i)
	case w.symbol == ',' || w.symbol == ';':
		if r.state == atName {
			r.cost += costMistake
		}
		r.state = atName
	case w.Kind == Identifier:
		s.field(r, i, s.slice(i))
	case w.Kind == String && s.symbol(i+1) == ':':
		r.cost += costMistake
		s.field(r, i, strings.Trim(s.slice(i), `"'`))
	case w.Kind == String && r.state == afterValue && i > 0 && s.words[i-1].Kind == String && !w.begins:
	case closerOf(w.symbol) != 0:
		r.cost += costMistake
		s.open(r, i, w.symbol, field{})
	default:
		r.cost += costMistake
	}
	return true
}

// field takes the name of a field.
func (s *search) field(r *reading, i int, name string) {
	s.layout(r, i)
	r.state, r.field = afterName, field{}
	if !r.top.known {
		return
	}
	typ, ok := r.top.schema.Field(name)
	if !ok {
		r.cost += costMistake
		return
	}
	r.field = field{typ, true}
	if typ.List {
		return
	}
	bit := uint64(1) << (typ.Number % 64)
	if r.top.seen&bit != 0 {
		r.cost += costType
	}
	f := *r.top
	f.seen |= bit
	r.change(f)
}

// layout compares the indentation of a field or an element that begins a line with those before it.
func (s *search) layout(r *reading, i int) {
	w := s.words[i]
	if !w.begins {
		return
	}
	f := r.top
	switch {
	case f.inner < 0:
		if f.closer != 0 && f.indent >= 0 && w.indent <= f.indent {
			r.cost += costSlight
		}
		changed := *f
		changed.inner = w.indent
		r.change(changed)
	case f.inner != w.indent:
		r.cost += costSlight
	}
}

// close takes a closing token; it has to be of the kind that ends the innermost bracket.
func (s *search) close(r *reading, i int) bool {
	if r.top.closer != s.words[i].symbol {
		return false
	}
	s.ended(r, i)
	return true
}

// ended ends the innermost bracket at a closing token.
func (s *search) ended(r *reading, i int) {
	w, f := s.words[i], r.top
	switch {
	case w.begins && f.indent >= 0 && w.indent != f.indent:
		r.cost += costSlight
	case !w.begins && f.inner >= 0 && w.line != f.line:
		r.cost++
	}
	r.pop()
}

// value takes a token after a name or its colon.
func (s *search) value(r *reading, i int) bool {
	w := s.words[i]
	switch {
	case w.symbol == ':' && r.state == afterName:
		r.state = atValue
	case w.symbol == '=' && r.state == afterName:
		r.cost += costMistake
		r.state = atValue
	case closerOf(w.symbol) != 0:
		if w.symbol == '[' && r.field.known && !r.field.List || w.symbol != '[' && r.field.known && r.field.Message == nil {
			r.cost += costMistake
		}
		s.open(r, i, w.symbol, r.field)
	case w.symbol == '-':
		r.state = atValue
	case s.valueMissing(r, i):
		r.cost += costMistake
		r.state = afterValue
		return s.name(r, i)
	case w.Kind == Symbol:
		r.cost += costMistake
	default:
		if r.state == afterName {
			r.cost += costMistake
		}
		r.cost += costOf(w, r.field)
		r.state = afterValue
	}
	return true
}

// costOf returns the cost of a scalar as the value of a field of another type.
func costOf(w word, f field) int {
	switch {
	case !f.known:
		return 0
	case f.Message != nil:
		return costMistake
	case f.String != (w.Kind == String):
		return costType
	}
	return 0
}

// valueMissing reports whether a token is what follows a field that has no value.
func (s *search) valueMissing(r *reading, i int) bool {
	w := s.words[i]
	switch {
	case w.Kind == EOF, isCloser(w.symbol), w.symbol == ',', w.symbol == ';':
		return true
	case w.Kind != Identifier:
		return false
	}
	return s.namesField(i) || r.state == afterName && w.begins
}

func (s *search) namesField(i int) bool {
	c := s.symbol(i + 1)
	return c == ':' || c == '{' || c == '<' || c == '['
}

// element takes a token in a list.
func (s *search) element(r *reading, i int) bool {
	w := s.words[i]
	switch {
	case w.Kind == EOF:
		return false
	case isCloser(w.symbol):
		if r.state == atElement {
			r.cost += costMistake
		}
		return s.close(r, i)
	case w.symbol == ',':
		if r.state != afterElement {
			r.cost += costMistake
		}
		r.state = atElement
		return true
	case w.symbol == '-' && r.state != afterElement:
		return true
	case r.state == afterElement && !(w.Kind == String && s.words[i-1].Kind == String):
		r.cost += costMistake
	}
	s.layout(r, i)
	f := r.top
	switch {
	case w.symbol == '[':
		r.cost += costMistake
		s.open(r, i, '[', field{})
	case closerOf(w.symbol) != 0:
		if f.known && f.schema == nil {
			r.cost += costMistake
		}
		s.open(r, i, w.symbol, field{FieldType{Message: f.schema}, f.known})
	case w.Kind == Symbol:
		r.cost += costMistake
	default:
		if w.Kind == Identifier && s.namesField(i) {
			r.cost += 2 * costMistake
		}
		r.cost += costOf(w, field{FieldType{Message: f.schema, String: f.text}, f.known})
		r.state = afterElement
	}
	return true
}

// open takes an opening token, of the value of a field.
func (s *search) open(r *reading, i int, symbol byte, of field) {
	w := s.words[i]
	r.push(frame{
		closer: closerOf(symbol), schema: of.Message, known: of.known && (symbol == '[' || of.Message != nil),
		text: of.String, line: w.line, indent: w.indent,
	})
}
