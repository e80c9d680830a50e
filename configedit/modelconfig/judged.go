package modelconfig

import (
	"strings"

	"conch/configedit/diag"
	"conch/configedit/text"
)

// judged marks the diagnostics that stand for what Triton would print: the
// tokenizer's complaints up to the place where the parser gives up, and the
// parser's own. Its sentence is put in where the tolerant reading of a broken
// file came to another one at that place.
func judged(read *text.Document, list []diag.Diagnostic) []diag.Diagnostic {
	doc := read.Strict()
	no := verdict(doc)
	limit := doc.File.Len() + 1
	if no != nil {
		limit = stopOf(doc, no)
	}
	for i, d := range list {
		list[i].First = text.FromTokenizer(d.Code) && d.Span.Start < limit
		if spoken := read.Spoken(d.Span.Start); d.Code == text.CodeUnended && len(spoken) > 0 {
			said := until(limit, spoken)
			if list[i].First = said != ""; said != "" {
				list[i].Triton = said
			}
		}
	}
	if no == nil || cutShort(doc, list, limit) {
		return list
	}
	at := doc.Tokens[no.index].Span.Start
	if span, ok := doc.Foreign(no.index); ok {
		at = span.Start
	}
	blame(list, at, doc.File.Sentence(at, no.sentence))
	return list
}

// until joins the tokenizer's sentences before it stops.
func until(limit int, spoken []text.Spoken) string {
	var said []string
	for _, s := range spoken {
		if s.At < limit {
			said = append(said, s.Sentence)
		}
	}
	return strings.Join(said, "\n")
}

// stopOf returns the offset after which the tokenizer has read nothing.
func stopOf(doc *text.Document, no *refusal) int {
	if span, ok := doc.Foreign(no.index); ok {
		return span.Start
	}
	if t := doc.Tokens[no.index]; t.Kind != text.EOF {
		return t.Span.End
	}
	return doc.File.Len() + 1
}

// cutShort reports a zero byte inside a string. C++ ends the string there and
// fails at its rest, with a sentence that does not help.
func cutShort(doc *text.Document, list []diag.Diagnostic, limit int) bool {
	for _, d := range list {
		if d.Code != text.CodeControl || d.Span.Start >= limit {
			continue
		}
		if i := doc.TokenAt(d.Span.Start + 1); i > 0 && doc.Tokens[i-1].Span.Contains(d.Span.Start) {
			return true
		}
	}
	return false
}

// blame finds the diagnostic that the parser's sentence belongs to.
func blame(list []diag.Diagnostic, at int, sentence string) {
	best := -1
	for i, d := range list {
		if d.Triton == sentence {
			list[i].First = true
			return
		}
		if d.Severity.IsError() && (best < 0 || d.Span.Start <= at) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	d := &list[best]
	if d.First { // the tokenizer has spoken about the same place before
		d.Triton += "\n" + sentence
		return
	}
	d.First, d.Triton = true, sentence
}
