package text

import (
	"bytes"
	"cmp"
	"slices"
)

// search finds how a file whose brackets do not match is most likely meant. It reads the file token by token and
// follows, side by side, the most likely readings: each takes some brackets for missing, too many, or of the wrong
// kind. How likely one is, the grammar, the schema and the indentation tell. The time is linear in the tokens.
type search struct {
	src   []byte
	words []word
	// readings are the most likely ones up to here, the best first.
	readings []reading
	// work is how many tokens were taken into readings.
	work int
	// next are those behind the token at hand.
	next []reading
	pace
}

const (
	// maxWidth is how many readings are followed.
	maxWidth = 40
	// maxWork is how many tokens all readings may take together. It is enough for some thousand lines; in what follows
	// nothing is assumed that is not necessary.
	maxWork = 1 << 17
	// maxLag is how much a reading may cost more than the best one.
	maxLag = 2*costMissing + costMistake
	// maxMissing is how many brackets may be missing at one place.
	maxMissing = 4
)

func newSearch(src []byte, tokens int, schema Schema) *search {
	root := &frame{schema: schema, known: schema != nil, indent: -1, inner: -1}
	return &search{src: src, words: make([]word, 0, tokens+1), readings: []reading{{top: root}}, pace: pace{plain: true}}
}

// add appends tokens to those that will be read.
func (s *search) add(tokens []Token) {
	for _, t := range tokens {
		w := word{Token: t, line: 0, begins: true}
		if t.Kind == Symbol {
			w.symbol = s.src[t.Span.Start]
		}
		if n := len(s.words); n > 0 {
			before := s.words[n-1]
			w.line, w.indent = before.line, before.indent
			w.begins = bytes.IndexByte(s.src[t.Lead:t.Span.Start], '\n') >= 0
		}
		if w.begins {
			w.line++
			w.indent = indentOf(s.src, t)
		}
		s.words = append(s.words, w)
	}
}

// indentOf is how far the line is indented that a token begins.
func indentOf(src []byte, t Token) int {
	start := t.Span.Start
	for start > t.Lead && src[start-1] != '\n' {
		start--
	}
	col := 0
	for _, b := range src[start:t.Span.Start] {
		col++
		if b == '\t' {
			col += tabWidth - 1 - (col-1)%tabWidth
		}
	}
	return col
}

func (s *search) symbol(i int) byte {
	if i >= len(s.words) {
		return 0
	}
	return s.words[i].symbol
}

func (s *search) slice(i int) string { return string(s.src[s.words[i].Span.Start:s.words[i].Span.End]) }

// read takes the token at an index into all readings.
func (s *search) read(i int) {
	if s.plain && s.readPlainly(i) {
		return
	}
	s.readCarefully(i)
	s.settle(i)
}

// readCarefully follows all readings, and begins new ones.
func (s *search) readCarefully(i int) {
	s.next = s.next[:0]
	for _, r := range s.readings {
		if s.consume(&r, i) {
			s.keep(r)
		}
	}
	best := s.best()
	s.work += len(s.readings)
	for _, r := range s.readings {
		if s.work < maxWork || len(s.next) == 0 {
			s.assume(r, i, best, maxMissing)
		}
	}
	s.prune()
}

// best is the least cost among the next readings.
func (s *search) best() int {
	least := int(^uint(0) >> 1)
	for i := range s.next {
		least = min(least, s.next[i].cost)
	}
	return least
}

// keep takes a reading into the next ones.
func (s *search) keep(r reading) { s.next = append(s.next, r) }

// assume follows what a reading becomes when a bracket is wrong at a token.
func (s *search) assume(r reading, i, best, more int) {
	if best < 1<<40 && r.cost+costMissing > best+maxLag {
		return
	}
	for _, a := range s.missing(r, i) {
		taken := a
		s.work++
		if s.consume(&taken, i) {
			s.keep(taken)
		}
		if more > 1 {
			s.assume(a, i, best, more-1)
		}
	}
	if !isCloser(s.words[i].symbol) {
		return
	}
	s.keep(r.assume(extraCloser, i, costExtra, 0))
	if f := r.top; f.closer != 0 && !f.absent && f.closer != s.words[i].symbol {
		wrong := r.assume(wrongCloser, i, costWrong, 0)
		s.ended(&wrong, i)
		s.keep(wrong)
	}
}

// missing are the readings in which a bracket is missing before a token.
func (s *search) missing(r reading, i int) []reading {
	out := make([]reading, 0, 2)
	if cost, ok := s.closerMissing(r, i); ok {
		closed := r.assume(missingCloser, i, cost, 0)
		closed.pop()
		out = append(out, closed)
	}
	if symbol, ok := s.openerMissing(r, i); ok {
		opened := r.assume(missingOpener, i, costMissing, symbol)
		s.openBefore(&opened, i, symbol)
		out = append(out, opened)
	}
	return out
}

// closerMissing returns the cost of ending the innermost bracket before a token, and whether that is possible.
func (s *search) closerMissing(r reading, i int) (int, bool) {
	f, w := r.top, s.words[i]
	if f.closer == 0 || w.symbol == f.closer && !w.begins {
		return 0, false
	}
	cost := costMissing
	switch r.state {
	case afterName, atValue, atElement:
		cost += costMistake
	case atName, atFirst:
		cost += 2 * costLayout
	}
	return cost + s.unlike(f, i), true
}

// unlike is how little the place before a token looks like one where a bracket ends.
func (s *search) unlike(f *frame, i int) int {
	w := s.words[i]
	block := f.inner >= 0
	switch {
	case block && (w.Kind == EOF || w.begins && w.indent <= f.indent):
		return 0
	case block && w.begins:
		return 2 * costLayout
	case block:
		return costSlight
	case w.Kind == EOF, w.begins, isCloser(w.symbol):
		return 0
	case w.symbol == ',':
		return 1
	}
	return costLayout
}

// openerMissing returns which bracket can be missing before a token.
func (s *search) openerMissing(r reading, i int) (byte, bool) {
	of := r.field
	switch r.state {
	case afterName, atValue:
		if of.known && of.List && s.beginsElement(i, of.Message) {
			return '[', true
		}
		return '{', of.known && of.Message != nil && s.beginsContent(i, of.Message)
	case atFirst, atElement:
		f := r.top
		return '{', f.known && f.schema != nil && s.beginsContent(i, f.schema)
	}
	return 0, false
}

// beginsElement reports whether a list of values can begin with a token.
func (s *search) beginsElement(i int, message Schema) bool {
	w := s.words[i]
	if message != nil {
		return w.symbol == '{' || w.symbol == '<' || w.symbol == ']'
	}
	return w.Kind != EOF && w.Kind != Symbol && !(w.Kind == Identifier && s.namesField(i)) || w.symbol == '-' || w.symbol == ']'
}

// beginsContent reports whether the content of a message can begin with a token.
func (s *search) beginsContent(i int, message Schema) bool {
	w := s.words[i]
	if w.Kind != Identifier {
		return w.symbol == '}'
	}
	_, ok := message.Field(s.slice(i))
	return ok
}

// openBefore opens a bracket that is missing before a token.
func (s *search) openBefore(r *reading, i int, symbol byte) {
	of := r.field
	if r.state == atFirst || r.state == atElement {
		of = field{FieldType{Message: r.top.schema}, r.top.known}
	}
	owner := s.words[max(i-1, 0)]
	f := frame{absent: true, closer: closerOf(symbol), schema: of.Message, known: true, text: of.String, line: owner.line, indent: owner.indent}
	if of.Message != nil && (r.state == atFirst || r.state == atElement) && s.words[i].begins {
		f.indent = -1
	}
	r.push(f)
}

// prune keeps the most likely of the next readings: of those that go on alike, the best one.
func (s *search) prune() {
	slices.SortStableFunc(s.next, likelier)
	s.readings = s.readings[:0]
	width := maxWidth
	if s.work >= maxWork {
		width = 1
	}
	for i := range s.next {
		r := &s.next[i]
		if len(s.readings) >= width || r.cost > s.next[0].cost+maxLag {
			break
		}
		key := r.key()
		if !slices.ContainsFunc(s.readings, func(o reading) bool { return o.key() == key }) {
			s.readings = append(s.readings, *r)
		}
	}
}

// likelier orders readings. Where a closing bracket is one too many and could be any of several, it is the last.
func likelier(a, b reading) int {
	if a.cost == b.cost && a.assumed != nil && b.assumed != nil && a.assumed.what == extraCloser && b.assumed.what == extraCloser {
		return cmp.Compare(b.assumed.at, a.assumed.at)
	}
	return cmp.Compare(a.cost, b.cost)
}

// finish closes at the end of the file what is still open, and gives the assumptions of the best reading in file order.
func (s *search) finish() []assumption {
	last := len(s.words) - 1
	if s.plain && s.readings[0].top.closer != 0 {
		s.goBack(last)
	}
	for i := range s.readings {
		r := &s.readings[i]
		for r.top.closer != 0 {
			*r = r.assume(missingCloser, last, costMissing+s.unlike(r.top, last), 0)
			r.pop()
		}
	}
	best := slices.MinFunc(s.readings, func(a, b reading) int { return cmp.Compare(a.cost, b.cost) })
	var out []assumption
	for a := best.assumed; a != nil; a = a.before {
		out = append(out, *a)
	}
	slices.Reverse(out)
	return out
}
