package text

import (
	"bytes"
	"slices"
)

// maxBroken is how many lines a string may go on.
const maxBroken = 20

// goesOn reports whether a string without an end on its line, the token at index i, goes on to the next quote in a later
// line rather than that each of the two lines lacks a quote. It gives the lines read so, and the index of the last token.
func (s *search) goesOn(doc *Document, first, i int, alone quoted, ok bool) (quoted, int, bool) {
	start := doc.Tokens[i].Span.Start
	quote := s.src[start]
	last := i + 1
	for doc.Tokens[last].Kind != String && doc.Tokens[last].Kind != EOF {
		last++
	}
	if !doc.unended(doc.Tokens[last]) {
		return quoted{}, 0, false
	}
	closing := doc.Tokens[last].Span.Start
	content := s.src[start+1 : closing]
	if s.src[closing] != quote || bytes.IndexByte(content, quote) >= 0 || bytes.Count(content, []byte("\n")) > maxBroken {
		return quoted{}, 0, false
	}
	_, line := doc.lineOf(last)
	joined, rest := s.broken(doc, first, i, Span{Start: start, End: closing + 1}, line)
	if !rest {
		return quoted{}, 0, false
	}
	behind := doc.Tokens[last+1]
	joined.cost += s.trial(func() { s.readAll(joined.tokens, behind) })
	apart := s.trial(func() {
		if ok {
			s.readAll(alone.tokens, doc.Tokens[i+1])
		}
		begins, line := doc.lineOf(last)
		s.readAll(doc.Tokens[i+1:begins], doc.Tokens[begins])
		if q, ok := s.quote(line, doc.Tokens[begins:last+1], behind); ok {
			s.readAll(q.tokens, behind)
		}
	})
	return joined, last, !ok || joined.cost <= apart
}

// broken reads lines from a token on as if a string went on from one to the other; false where another one is still
// open then.
func (s *search) broken(doc *Document, first, i int, str, line Span) (quoted, bool) {
	q := quoted{quote: s.src[str.Start], at: str.Start, end: str.End, flawed: i - first, tokens: slices.Clone(doc.Tokens[first:i])}
	q.tokens = append(q.tokens, Token{Kind: String, Flaw: true, Lead: doc.Tokens[i].Lead, Span: str})
	q.cost = unlikeText(s.src, str)
	rest := s.src[str.End:line.End]
	l := lex(&File{src: rest, str: string(rest), lines: []int{0}, ascii: true})
	for _, t := range l.tokens[:len(l.tokens)-1] {
		if t.Kind == String && !ended(string(rest[t.Span.Start:t.Span.End])) {
			return q, false
		}
		t.Lead, t.Span.Start, t.Span.End = t.Lead+str.End, t.Span.Start+str.End, t.Span.End+str.End
		q.tokens = append(q.tokens, t)
	}
	return q, true
}
