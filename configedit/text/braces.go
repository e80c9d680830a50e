package text

// braces holds where every bracket ends, before anything else is parsed: at its
// closing token, or, if that is missing, before the token that it probably
// belongs before. The parser then never has to guess.
//
// If the brackets of a file do not match, a search finds what is missing.
type braces struct {
	doc *Document
	// ends holds, by an opening token's index, the index the bracket ends at.
	ends []int32
	// opens holds, by a closing token's index, the index it closes, plus one.
	opens []int32
	// wrong is the same for closing tokens of the wrong kind.
	wrong map[int]int
	// absent are the opening brackets that are missing before a token, the
	// outermost first, by its index.
	absent map[int][]*absentOpener
}

// absentOpener is an opening bracket that is missing.
type absentOpener struct {
	symbol byte
	// end is the index of the token the bracket ends at; real tells whether
	// that is its closing token.
	end  int
	real bool
}

// pairBraces also tells on which lines a quote is missing; the document then
// gets other tokens. Unended tells that there may be such lines.
func pairBraces(doc *Document, schema Schema, unended bool) (*braces, []quoted) {
	b := newBraces(doc)
	if !unended && b.pairPlainly() {
		return b, nil
	}
	s := newSearch(doc.File.src, len(doc.Tokens), schema)
	missing := s.readLines(doc)
	b = newBraces(doc)
	b.pairAssuming(s.finish())
	return b, missing
}

func newBraces(doc *Document) *braces {
	n := len(doc.Tokens)
	return &braces{doc: doc, ends: make([]int32, n), opens: make([]int32, n)}
}

// unended reports whether a token is a string without its closing quote.
func (d *Document) unended(t Token) bool {
	return t.Kind == String && t.Flaw && !ended(d.Text(t))
}

// real reports whether the bracket ends at a closing token of its own.
func (b *braces) real(open int) bool { return b.opens[b.ends[open]] == int32(open+1) }

// end is the index of the token the bracket ends at.
func (b *braces) end(open int) int { return int(b.ends[open]) }

// mixed reports whether the bracket ends at a closing token of another kind.
func (b *braces) mixed(open int) bool { return b.wrong[b.end(open)] == open+1 }

// after returns the index of the token after the bracket.
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

// pairPlainly pairs brackets that match, and returns whether all do.
func (b *braces) pairPlainly() bool {
	var stack []int
	for i := range b.doc.Tokens {
		c := b.byteAt(i)
		switch {
		case closerOf(c) != 0:
			stack = append(stack, i)
		case !isCloser(c):
		case len(stack) == 0 || closerOf(b.byteAt(stack[len(stack)-1])) != c:
			return false
		default:
			b.pair(stack[len(stack)-1], i)
			stack = stack[:len(stack)-1]
		}
	}
	return len(stack) == 0
}

func (b *braces) pair(open, end int) {
	b.ends[open] = int32(end)
	b.opens[end] = int32(open + 1)
}

// opener is a bracket not yet closed: a token, or one that is missing.
type opener struct {
	index  int
	absent *absentOpener
}

// pairAssuming pairs brackets where some are missing, too many, or of the wrong
// kind; the assumptions are in file order.
func (b *braces) pairAssuming(assumed []assumption) {
	p := assuming{braces: b}
	for i := range b.doc.Tokens {
		passed := false
		for ; len(assumed) > 0 && assumed[0].at == i; assumed = assumed[1:] {
			passed = p.assume(assumed[0]) || passed
		}
		if c := b.byteAt(i); closerOf(c) != 0 {
			p.stack = append(p.stack, opener{index: i})
		} else if isCloser(c) && !passed {
			p.end(i, true)
		}
	}
}

// assuming is such a pairing at work.
type assuming struct {
	*braces
	stack []opener
}

// assume does what an assumption says, and tells whether it is about the token
// itself.
func (p *assuming) assume(a assumption) bool {
	switch a.what {
	case missingCloser:
		p.end(a.at, false)
	case missingOpener:
		if p.absent == nil {
			p.absent = map[int][]*absentOpener{}
		}
		missing := &absentOpener{symbol: a.opener}
		p.absent[a.at] = append(p.absent[a.at], missing)
		p.stack = append(p.stack, opener{absent: missing})
	case wrongCloser:
		top := p.stack[len(p.stack)-1]
		p.end(a.at, false)
		if p.wrong == nil {
			p.wrong = map[int]int{}
		}
		p.wrong[a.at] = top.index + 1
		return true
	case extraCloser:
		return true
	}
	return false
}

// end ends the innermost bracket at a token, which is its closing one or not.
func (p *assuming) end(at int, real bool) {
	top := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	switch {
	case top.absent != nil:
		top.absent.end, top.absent.real = at, real
	case real:
		p.pair(top.index, at)
	default:
		p.ends[top.index] = int32(at)
	}
}
