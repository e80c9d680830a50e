package checkcmd

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"conch/app/visible"
	"conch/configedit/diag"
)

// commands are GitHub's names of severities.
var commands = map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning", diag.Advice: "notice"}

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub writes a result as workflow commands. GitHub shows them at the lines of a change.
func GitHub(w io.Writer, r *Result) error {
	out := bufio.NewWriter(w)
	for _, report := range r.shortened() {
		if rest := report.rest(); rest != "" {
			fmt.Fprintf(out, "::notice file=%s::%s\n", escapeProperty.Replace(visible.Line(report.Path)), escapeData.Replace(rest))
		}
		for _, d := range report.List {
			fmt.Fprintf(out, "::%s %s::%s\n", commands[d.Severity], strings.Join(properties(report, d), ","), escapeData.Replace(sentences(d)))
		}
	}
	return out.Flush()
}

func properties(r Report, d diag.Diagnostic) []string {
	list := []string{"title=" + escapeProperty.Replace(d.Code), "file=" + escapeProperty.Replace(visible.Line(r.Path))}
	if r.File == nil {
		return list
	}
	a := areaOf(r.Path, r.File, d.Span)
	return append(list, fmt.Sprintf("line=%d,endLine=%d,col=%d,endColumn=%d", a.Line, a.EndLine, a.Column, a.EndColumn))
}

// sentences returns all that there is to say where only text is shown.
func sentences(d diag.Diagnostic) string {
	text := visible.Line(d.Message)
	if d.Triton != "" && d.Triton != d.Message {
		text += "\nTriton: " + visible.Line(d.Triton)
	}
	for _, fix := range d.Fixes {
		text += "\n" + fixWord(fix) + " " + visible.Line(fix.Title)
	}
	return text
}
