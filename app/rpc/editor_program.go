package rpc

import (
	"strings"
	"unicode/utf16"

	"conch/app/api"
	"conch/app/workspace"
)

// inProgram returns the problems of a program, at their lines in the text of the editor.
func (s *editorService) inProgram(r *api.AnalyzeRequest) []*api.Diagnostic {
	list := s.Workspace.InProgram(r.Model, r.Path)
	if len(list) == 0 {
		return nil
	}
	saved := r.Text
	if draft, edited := s.Workspace.Draft(workspace.File{Model: r.Model, Path: r.Path}); edited {
		saved = draft.Base.Text
	}
	now, lines := strings.Split(r.Text, "\n"), lineMap(saved, r.Text)
	for _, d := range list {
		d.Line = uint32(lines(int(d.Line)))
		d.From, d.To = spanOfLine(now, int(d.Line))
	}
	return list
}

// lineMap returns where the lines of a text are after an edit. Lines that were edited are where the edit begins.
func lineMap(before, after string) func(line int) int {
	old, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	first := 0
	for first < min(len(old), len(now)) && old[first] == now[first] {
		first++
	}
	last := 0
	for last < min(len(old), len(now))-first && old[len(old)-1-last] == now[len(now)-1-last] {
		last++
	}
	return func(line int) int {
		switch {
		case line <= first:
			return line
		case line > len(old)-last:
			return line + len(now) - len(old)
		}
		return min(line, len(now)-last)
	}
}

// spanOfLine returns the span of a line without the white space around it, in UTF-16 units.
func spanOfLine(lines []string, line int) (from, to uint32) {
	at := 0
	for i, text := range lines {
		text16 := len(utf16.Encode([]rune(text)))
		if i == line-1 {
			trimmed := strings.TrimLeft(text, " \t")
			start := at + len(text) - len(trimmed)
			return uint32(start), uint32(start + len(utf16.Encode([]rune(strings.TrimRight(trimmed, " \t\r")))))
		}
		at += text16 + 1
	}
	return uint32(at - 1), uint32(at - 1)
}
