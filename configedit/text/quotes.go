package text

import (
	"bytes"
	"slices"
	"strings"
)

// Bounds of how much is tried to find where a quote is missing.
const (
	maxQuotes     = 16   // lines of a file
	maxQuotePlace = 64   // places on a line
	maxQuoteLine  = 1000 // bytes of a line
)

// quoted is a line on which a quote is missing, read as if it stood there.
type quoted struct {
	tokens []Token
	// flawed is the index in tokens of the string that lacks it.
	flawed int
	at     int
	quote  byte
	cost   int
	// end is where a string ends that goes on in another line; else 0.
	end int
}

// readLines takes all tokens but the last into a search. Where a string has no end on its line, the line is read with
// a quote at the place where it most likely belongs, and the document gets the tokens that this makes.
func (s *search) readLines(doc *Document) []quoted {
	var found []quoted
	tokens := doc.Tokens
	from := 0
	for i, t := range tokens[:len(tokens)-1] {
		if !doc.unended(t) || len(found) == maxQuotes {
			continue
		}
		if i < from {
			continue // it is the end of the string before
		}
		first, line := doc.lineOf(i)
		s.readAll(tokens[from:first], tokens[first])
		from = first
		q, ok := s.quote(line, tokens[first:i+1], tokens[i+1])
		next := i + 1
		if broken, last, goesOn := s.goesOn(doc, first, i, q, ok); goesOn {
			q, ok, next = broken, true, last+1
		}
		if !ok {
			continue
		}
		s.readAll(q.tokens, tokens[next])
		q.flawed += len(s.words) - len(q.tokens)
		found = append(found, q)
		from = next
	}
	s.readAll(tokens[from:len(tokens)-1], tokens[len(tokens)-1])
	if len(found) > 0 {
		doc.requote(s.words, tokens[len(tokens)-1])
	}
	s.add(doc.Tokens[len(doc.Tokens)-1:])
	return found
}

// ended reports whether a string literal has its closing quote.
func ended(literal string) bool {
	return len(literal) > 1 && literal[len(literal)-1] == literal[0]
}

// lineOf returns the index of the first token on the line of another, and the line.
func (d *Document) lineOf(i int) (first int, line Span) {
	number, _ := d.File.Position(d.Tokens[i].Span.Start)
	line = d.File.LineSpan(number)
	for first = i; first > 0 && d.Tokens[first-1].Span.Start >= line.Start; first-- {
	}
	return first, line
}

// readAll takes tokens into the readings; behind is the one that follows.
func (s *search) readAll(tokens []Token, behind Token) {
	n := len(s.words)
	s.add(tokens)
	s.add([]Token{behind})
	for i := range tokens {
		s.read(n + i)
	}
	s.words = s.words[:n+len(tokens)]
}

// quote finds where on a line a quote is missing. Of several places that are equally likely, the first counts.
func (s *search) quote(line Span, tokens []Token, behind Token) (quoted, bool) {
	var best quoted
	quote := s.src[tokens[len(tokens)-1].Span.Start]
	for _, at := range quotePlaces(s.src, line) {
		q, ok := requoted(s.src, line, at, quote, tokens[0].Lead)
		if !ok {
			continue
		}
		q.cost += s.trial(func() { s.readAll(q.tokens, behind) })
		if best.tokens == nil || q.cost < best.cost {
			best = q
		}
	}
	return best, best.tokens != nil
}

// trial returns the cost of the best reading after something was read, and forgets that it was.
func (s *search) trial(read func()) int {
	before, words, pace := slices.Clone(s.readings), len(s.words), s.pace
	s.plain = false
	read()
	cost := s.readings[0].cost
	s.readings, s.words, s.pace = append(s.readings[:0], before...), s.words[:words], pace
	return cost
}

// quotePlaces are the places on a line where a quote can be missing: where a word begins or ends.
func quotePlaces(src []byte, line Span) []int {
	text := bytes.TrimRight(src[line.Start:line.End], " \t\r")
	if len(text) > maxQuoteLine {
		return []int{line.Start + len(text)}
	}
	var out []int
	for i := 0; i <= len(text) && len(out) < maxQuotePlace; i++ {
		if (i > 0 && isPlain(text[i-1])) != (i < len(text) && isPlain(text[i])) || i > 0 && isQuote(text[i-1]) {
			out = append(out, line.Start+i)
		}
	}
	return out
}

func isQuote(b byte) bool { return b == '"' || b == '\'' }

// isPlain reports whether a byte is of those that words and the contents of most strings are made of.
func isPlain(b byte) bool { return !isSpace(b) && strings.IndexByte(":,;{}[]<>\"'", b) < 0 }

// requoted reads a line as if a quote stood at a place; false where a string is still open then.
func requoted(src []byte, line Span, at int, quote byte, lead int) (quoted, bool) {
	changed := slices.Concat(src[line.Start:at], []byte{quote}, src[at:line.End])
	l := lex(&File{src: changed, str: string(changed), lines: []int{0}, ascii: true})
	q := quoted{at: at, quote: quote, flawed: -1, tokens: l.tokens[:len(l.tokens)-1]}
	for i := range q.tokens {
		t := &q.tokens[i]
		if t.Kind == String && !ended(string(changed[t.Span.Start:t.Span.End])) {
			return q, false
		}
		if t.Kind == String {
			q.cost += unlikeText(changed, t.Span)
			if place := at - line.Start; t.Span.Start == place || t.Span.End == place+1 {
				q.flawed = i
			}
		}
		if t.Flaw {
			q.cost += costMistake
		}
		t.Lead, t.Span.Start, t.Span.End = lead, inFile(line, t.Span.Start, at), inFile(line, t.Span.End, at)
		lead = t.Span.End
	}
	if q.flawed >= 0 {
		q.tokens[q.flawed].Flaw = true
	}
	return q, q.flawed >= 0
}

// inFile is where an offset of a line that has got a quote lies in the file.
func inFile(line Span, off, at int) int {
	if off += line.Start; off > at {
		return off - 1
	}
	return off
}

// unlikeText is how little a string looks like one that is meant.
func unlikeText(line []byte, s Span) int {
	content := string(line[s.Start+1 : s.End-1])
	cost := 0
	if strings.TrimSpace(content) != content {
		cost += costSlight
	}
	if strings.ContainsAny(content, "{}[]\"'") || strings.Contains(content, ": ") {
		cost += costLayout
	}
	if s.Start > 0 && touches(line[s.Start-1]) || s.End < len(line) && touches(line[s.End]) {
		cost += costLayout
	}
	return cost
}

// touches reports whether a byte stands rarely right beside a string.
func touches(b byte) bool { return isPlain(b) || isQuote(b) }

// requote gives a document other tokens and keeps those that Triton reads.
func (d *Document) requote(words []word, eof Token) {
	d.strict = &Document{File: d.File, Tokens: d.Tokens, foreign: d.foreign}
	d.Tokens = make([]Token, 0, len(words)+1)
	for _, w := range words {
		d.Tokens = append(d.Tokens, w.Token)
	}
	d.Tokens = append(d.Tokens, eof)
	for i := 1; i < len(d.Tokens); i++ {
		d.Tokens[i].Lead = d.Tokens[i-1].Span.End
	}
	d.foreign = nil
	for _, span := range d.strict.foreign {
		if i := d.TokenAt(span.Start); d.Tokens[i].Lead <= span.Start {
			if d.foreign == nil {
				d.foreign = map[int]Span{}
			}
			d.foreign[i] = span
		}
	}
}
