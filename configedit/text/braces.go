package text

import "bytes"

// braces tells for every opening token where it ends, before anything else is
// parsed: at its closing token, or, where that is missing, before the token
// ahead of which it probably should be. The parser then never has to guess.
//
// Where the brackets of a file do not pair up, they are paired again with the
// indentation as witness, and the pairing with the fewest mistakes stands.
type braces struct {
	doc *Document
	// ends tells, by an opening token's index, the index the bracket ends at.
	ends []int32
	// opens tells, by a closing token's index, the index it closes, plus one.
	opens []int32
	// wrong is the same for closing tokens of the wrong kind.
	wrong  map[int]int
	strays int
	missed int
}

// opener is a bracket not yet closed.
type opener struct {
	index int
	line  int
	// indent is that of the line the bracket stands on.
	indent int
}

func pairBraces(doc *Document) *braces {
	plain := newBraces(doc)
	plain.pairPlainly()
	if plain.mistakes() == 0 {
		return plain
	}
	best := plain
	for _, slips := range []bool{true, false} {
		byIndent := newBraces(doc)
		byIndent.pairByIndent(slips)
		if byIndent.mistakes() <= best.mistakes() {
			best = byIndent
		}
	}
	return best
}

func newBraces(doc *Document) *braces {
	n := len(doc.Tokens)
	return &braces{doc: doc, ends: make([]int32, n), opens: make([]int32, n)}
}

func (b *braces) mistakes() int { return b.strays + b.missed }

// real tells whether the bracket ends at a closing token of its own.
func (b *braces) real(open int) bool { return b.opens[b.ends[open]] == int32(open+1) }

// end is the index of the token the bracket ends at.
func (b *braces) end(open int) int { return int(b.ends[open]) }

// mixed tells whether the bracket ends at a closing token of another kind.
func (b *braces) mixed(open int) bool { return b.wrong[b.end(open)] == open+1 }

// after is the index of the token behind the bracket.
func (b *braces) after(open int) int {
	if b.real(open) || b.mixed(open) {
		return b.end(open) + 1
	}
	return b.end(open)
}

func (b *braces) byteAt(i int) byte {
	t := b.doc.Tokens[i]
	if t.Kind != Symbol {
		return 0
	}
	return b.doc.File.src[t.Span.Start]
}

// closes tells whether token i is of the kind that closes the bracket.
func (b *braces) closes(open, i int) bool { return closerOf(b.byteAt(open)) == b.byteAt(i) }

func closerOf(open byte) byte {
	switch open {
	case '{':
		return '}'
	case '<':
		return '>'
	case '[':
		return ']'
	}
	return 0
}

func isCloser(b byte) bool { return b == '}' || b == '>' || b == ']' }

func (b *braces) pairPlainly() {
	var stack []int
	for i := range b.doc.Tokens {
		c := b.byteAt(i)
		switch {
		case closerOf(c) != 0:
			stack = append(stack, i)
		case isCloser(c) && len(stack) > 0 && b.closes(stack[len(stack)-1], i):
			b.pair(stack[len(stack)-1], i)
			stack = stack[:len(stack)-1]
		case isCloser(c):
			b.strays++
		}
	}
	for _, open := range stack {
		b.miss(open, len(b.doc.Tokens)-1)
	}
}

func (b *braces) pair(open, end int) {
	b.ends[open] = int32(end)
	b.opens[end] = int32(open + 1)
}

func (b *braces) miss(open, end int) {
	b.ends[open] = int32(end)
	b.missed++
}

// indentPairing is the second pairing at work.
type indentPairing struct {
	*braces
	stack []opener
	line  int
	// begins tells whether the token at hand is the first of its line, and
	// indent how far that line is indented.
	begins bool
	indent int
	// slips takes any closing token of the wrong kind for a slip of the finger,
	// not only one that has no partner.
	slips bool
}

func (b *braces) pairByIndent(slips bool) {
	p := &indentPairing{braces: b, line: -1, slips: slips}
	for i := range b.doc.Tokens {
		p.locate(i)
		c := p.byteAt(i)
		switch {
		case isCloser(c):
			p.close(i)
		case p.doc.Tokens[i].Kind == EOF:
			p.endAll(i)
		default:
			p.endDedented(i)
		}
		if closerOf(c) != 0 {
			p.stack = append(p.stack, opener{index: i, line: p.line, indent: p.indent})
		}
		p.endInString(i)
	}
}

// locate notes the line of a token and, for the first of a line, its indent.
func (p *indentPairing) locate(i int) {
	t := p.doc.Tokens[i]
	src := p.doc.File.src
	p.begins = i == 0 || bytes.IndexByte(src[t.Lead:t.Span.Start], '\n') >= 0
	if !p.begins {
		return
	}
	p.line++
	start := t.Span.Start
	for start > t.Lead && src[start-1] != '\n' {
		start--
	}
	p.indent = width(src[start:t.Span.Start])
}

func width(blanks []byte) int {
	col := 0
	for _, b := range blanks {
		col++
		if b == '\t' {
			col += tabWidth - 1 - (col-1)%tabWidth
		}
	}
	return col
}

func (p *indentPairing) top() *opener {
	if len(p.stack) == 0 {
		return nil
	}
	return &p.stack[len(p.stack)-1]
}

func (p *indentPairing) pop() { p.stack = p.stack[:len(p.stack)-1] }

// endDedented ends the brackets that a word shows to be over: it begins a line
// no deeper than the one they were opened on, or, for a list, it begins a field.
func (p *indentPairing) endDedented(i int) {
	for top := p.top(); top != nil; top = p.top() {
		dedent := p.begins && p.indent <= top.indent && p.line != top.line && p.byteAt(i) == 0
		if p.byteAt(top.index) == '[' {
			dedent = p.beginsField(i)
		}
		if !dedent {
			return
		}
		p.miss(top.index, i)
		p.pop()
	}
}

func (p *indentPairing) beginsField(i int) bool {
	if p.doc.Tokens[i].Kind != Identifier {
		return false
	}
	next := p.byteAt(i + 1)
	return next == ':' || closerOf(next) != 0
}

// close looks for what a closing token closes.
func (p *indentPairing) close(i int) {
	depth := p.closedBy(i)
	if depth < 0 || p.slips && !p.closes(p.top().index, i) {
		p.closeWrong(i)
		return
	}
	for len(p.stack)-1 > depth {
		p.miss(p.top().index, i)
		p.pop()
	}
	p.pair(p.top().index, i)
	p.pop()
}

// closeWrong takes a closing token with no partner of its kind for a slip of
// the finger, if it stands where the innermost bracket may end.
func (p *indentPairing) closeWrong(i int) {
	top := p.top()
	if top == nil || p.begins && p.indent != top.indent {
		p.strays++
		return
	}
	if p.wrong == nil {
		p.wrong = map[int]int{}
	}
	p.wrong[i] = top.index + 1
	p.miss(top.index, i)
	p.pop()
}

// maxPeel bounds how far down closedBy looks, to stay linear.
const maxPeel = MaxDepth

// closedBy is the stack index of what token i closes, or -1. A closer that
// begins a line belongs to a bracket whose line is indented alike, if there is
// one; any other to the innermost of its kind.
func (p *indentPairing) closedBy(i int) int {
	last := len(p.stack) - 1
	innermost := -1
	for depth := last; depth >= 0 && depth > last-maxPeel; depth-- {
		if !p.closes(p.stack[depth].index, i) {
			continue
		}
		if innermost < 0 {
			innermost = depth
		}
		if !p.begins || p.stack[depth].indent == p.indent {
			return depth
		}
		if p.stack[depth].indent < p.indent {
			break
		}
	}
	return innermost
}

// endAll ends at the end of the file what is still open.
func (p *indentPairing) endAll(i int) {
	for p.top() != nil {
		p.miss(p.top().index, i)
		p.pop()
	}
}

// endInString takes the closing brackets that an unended string has swallowed
// for what they were meant to be.
func (p *indentPairing) endInString(i int) {
	for _, c := range p.doc.swallowed(i) {
		top := p.top()
		if top == nil || top.line != p.line || closerOf(p.byteAt(top.index)) != c {
			return
		}
		p.ends[top.index] = int32(i + 1)
		p.pop()
	}
}

// swallowed gives the closing brackets at the end of an unended string.
func (d *Document) swallowed(i int) []byte {
	t := d.Tokens[i]
	if t.Kind != String || !t.Flaw {
		return nil
	}
	literal := d.File.src[t.Span.Start:t.Span.End]
	if len(literal) > 1 && literal[len(literal)-1] == literal[0] {
		return nil
	}
	var out []byte
	for k := len(literal) - 1; k > 0; k-- {
		switch b := literal[k]; {
		case isCloser(b):
			out = append(out, b)
		case !isSpace(b):
			return out
		}
	}
	return out
}
