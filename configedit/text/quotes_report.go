package text

import (
	"fmt"
	"slices"
	"strings"

	"conch/configedit/diag"
)

// unquoted reports lines on which a quote is missing, in place of what the tokenizer said about them.
func (r *reports) unquoted(doc *Document, found []quoted) {
	for _, q := range found {
		span := doc.Tokens[q.flawed].Span
		first, _ := doc.File.Position(span.Start)
		last, _ := doc.File.Position(span.End)
		line := doc.File.LineSpan(first).Join(doc.File.LineSpan(last))
		d := q.report(doc, span)
		var said []string
		r.list = slices.DeleteFunc(r.list, func(o diag.Diagnostic) bool {
			if !FromTokenizer(o.Code) || o.Span.Start < line.Start || o.Span.Start > line.End {
				return false
			}
			doc.spoken = append(doc.spoken, Spoken{Of: span.Start, At: o.Span.Start, Sentence: o.Triton})
			said = append(said, o.Triton)
			return true
		})
		d.Triton = strings.Join(said, "\n")
		r.add(d)
	}
}

// report says which quote is missing, or that a string goes on in another line.
func (q quoted) report(doc *Document, span Span) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeUnended, Span: span, Message: fmt.Sprintf("the string has no closing %c", q.quote)}
	switch {
	case q.end > 0:
		d.Message = `a string ends on its line; a line break in it is written \n`
		d.Fixes = broken(doc.File.src, span, string(q.quote))
		return d
	case q.at == span.Start:
		d.Message = fmt.Sprintf("the string has no opening %c", q.quote)
	}
	d.Fixes = insert(fmt.Sprintf("insert the missing %c", q.quote), q.at, string(q.quote))
	return d
}

// broken are the ways to write a string that has line breaks in it.
func broken(src []byte, span Span, quote string) []diag.Fix {
	escaped := diag.Fix{Title: `write \n for the line break`}
	several := diag.Fix{Title: "end the string and begin it again on the next line"}
	for i := span.Start; i < span.End; i++ {
		if src[i] != '\n' {
			continue
		}
		end := i
		if src[i-1] == '\r' {
			end--
		}
		escaped.Edits = append(escaped.Edits, diag.Edit{Span: Span{Start: end, End: i + 1}, New: `\n`})
		several.Edits = append(several.Edits,
			diag.Edit{Span: Span{Start: end, End: end}, New: quote}, diag.Edit{Span: Span{Start: i + 1, End: i + 1}, New: quote})
	}
	return []diag.Fix{escaped, several}
}
