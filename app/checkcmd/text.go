package checkcmd

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"conch/app/visible"
	"conch/configedit/diag"
	"conch/configedit/text"
)

// Text writes a result for people: file by file, each mistake with its line and a caret under it,
// Triton's own sentence and a repair; then a summary.
func Text(w io.Writer, r *Result, color bool) error {
	p := &printer{out: bufio.NewWriter(w), color: color}
	for _, report := range r.shortened() {
		for _, d := range report.List {
			p.diagnostic(report, d)
		}
		if rest := report.rest(); rest != "" {
			fmt.Fprintf(p.out, "%s: %s\n\n", p.in(bold, visible.Line(report.Path)), rest)
		}
	}
	p.summary(r)
	return p.out.Flush()
}

// The colours, as escape codes of terminals.
const (
	bold   = "1"
	red    = "1;31"
	yellow = "1;33"
	blue   = "1;34"
	faint  = "2"
)

var severityColors = map[diag.Severity]string{diag.Error: red, diag.Warning: yellow, diag.Advice: blue}

type printer struct {
	out   *bufio.Writer
	color bool
}

// in writes text in a colour.
func (p *printer) in(color, s string) string {
	if !p.color {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

func (p *printer) diagnostic(r Report, d diag.Diagnostic) {
	where := r.Path
	if r.File != nil {
		where = position(r.Path, r.File, d.Span)
	}
	fmt.Fprintf(p.out, "%s: %s: %s %s\n", p.in(bold, visible.Line(where)), p.in(severityColors[d.Severity], d.Severity.String()),
		p.in(bold, visible.Line(d.Message)), p.in(faint, "["+d.Code+"]"))
	margin := "   "
	if r.File != nil && r.File.Len() > 0 {
		margin = p.excerpt(r.File, d)
	}
	if d.Triton != "" && d.Triton != d.Message {
		word := "Triton:"
		switch {
		case d.First:
			word = "Triton says first:"
		case d.Perhaps:
			word = "Triton may say:"
		}
		p.note(margin, word, d.Triton)
	}
	for _, rel := range d.Related {
		if path, file, ok := r.find(rel.File); ok {
			p.note(margin, "see", position(path, file, rel.Span)+": "+rel.Message)
		}
	}
	for _, fix := range d.Fixes {
		p.note(margin, fixWord(fix), fix.Title)
	}
	p.out.WriteByte('\n')
}

// fixWord is written before a fix. Its words depend on whether --fix applies it.
func fixWord(fix diag.Fix) string {
	if fix.Confidence.IsSafe() {
		return "fix:"
	}
	return "suggestion:"
}

func (p *printer) note(margin, word, what string) {
	fmt.Fprintf(p.out, "%s %s %s %s\n", margin, p.in(faint, "="), p.in(faint, word), visible.Line(what))
}

// find returns the file that a related place names. The report's own file has no name there.
func (r Report) find(name string) (string, *text.File, bool) {
	if name == "" || r.File != nil && name == r.File.Name() {
		return r.Path, r.File, r.File != nil
	}
	return r.others(name)
}

// position is path:line:column.
func position(path string, f *text.File, s diag.Span) string {
	line, col := f.Position(s.Start)
	return fmt.Sprintf("%s:%d:%d", path, line, col)
}

// excerpt shows the line with a mark under the span, and returns the margin for what follows.
func (p *printer) excerpt(f *text.File, d diag.Diagnostic) string {
	line, _ := f.Position(d.Span.Start)
	span := f.LineSpan(line)
	start, end := max(span.Start, d.Span.Start), min(d.Span.End, span.End)
	span, end = around(f, span, start), min(end, start+nearby)
	before := utf8.RuneCountInString(shownSource(f.Slice(diag.Span{Start: span.Start, End: start})))
	marked := utf8.RuneCountInString(shownSource(f.Slice(diag.Span{Start: start, End: max(start, end)})))
	number := fmt.Sprintf("%4d", line)
	margin := strings.Repeat(" ", len(number))
	bar := p.in(faint, "|")
	shown, before := window(shownSource(f.Slice(span)), before, marked)
	fmt.Fprintf(p.out, "%s %s %s\n", p.in(faint, number), bar, shown)
	fmt.Fprintf(p.out, "%s %s %s%s\n", margin, bar, strings.Repeat(" ", before),
		p.in(severityColors[d.Severity], strings.Repeat("^", max(1, min(marked, widest)))))
	return margin
}

// nearby is how many bytes of a line are examined on either side of a mark: more than are ever shown.
const nearby = 8 * widest

// around returns the part of a line near a place, so that a line of megabytes is not read for each
// mistake on it.
func around(f *text.File, line diag.Span, at int) diag.Span {
	from, to := max(line.Start, at-nearby), min(line.End, at+nearby)
	for from > line.Start && from < to && !utf8.RuneStart(f.Slice(diag.Span{Start: from, End: from + 1})[0]) {
		from++
	}
	return diag.Span{Start: from, End: max(from, to)}
}

// shownSource returns a part of a line of a file. A tab is as wide as the mark below it.
func shownSource(s string) string { return visible.Line(strings.ReplaceAll(s, "\t", " ")) }

// widest is how much of a line is shown.
const widest = 100

// window cuts a long line around the marked part, and returns how many characters come before that.
func window(line string, before, marked int) (string, int) {
	runes := []rune(line)
	if len(runes) <= widest {
		return line, before
	}
	start := max(0, min(before-widest/4, before+min(marked, widest)-widest/2))
	end := min(len(runes), start+widest)
	cut := string(runes[start:end])
	if start > 0 {
		return "… " + cut, before - start + 2
	}
	return cut + " …", before
}

func (p *printer) summary(r *Result) {
	models := count(r.Models, "model")
	if len(r.Reports) == 0 {
		fmt.Fprintf(p.out, "%s: nothing wrong\n", models)
		return
	}
	fmt.Fprintf(p.out, "%s: %s, %s; %s\n", models, count(r.Count(diag.Error), "error"), count(r.Count(diag.Warning), "warning"), r.verdict())
}

// verdict says what Triton would do with the models.
func (r *Result) verdict() string {
	refused, unsure := r.Refused(), r.Unsure()
	switch {
	case refused > 0 && unsure > 0:
		return fmt.Sprintf("Triton would refuse %d, and may refuse %d more", refused, unsure)
	case refused > 0:
		return fmt.Sprintf("Triton would refuse %d", refused)
	case unsure > 0:
		return fmt.Sprintf("Triton may refuse %d: see what the warnings say that the server needs", unsure)
	case r.Untold():
		return "whether Triton would take all of them, only a run can tell: see the warnings"
	}
	return "Triton would take all of them"
}

func count(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}
