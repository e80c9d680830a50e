// Package sections holds several texts in one file, in the format of golang.org/x/tools/txtar: a comment that says what
// the file is about, then the texts, each begun by a line "-- NAME --".
//
// A text in this format ends with a line break. Where one does not, the line "\ No newline at end of file" stands behind
// it, as diff writes it.
package sections

import (
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"
)

// Section is one text of a file.
type Section struct{ Name, Text string }

// unended stands behind a text that does not end with a line break.
const unended = "\n\\ No newline at end of file\n"

// Parse reads a file: what it is about, and its texts. No two may have the same name.
func Parse(data []byte) (about string, list []Section, err error) {
	archive := txtar.Parse(data)
	seen := map[string]bool{}
	for _, f := range archive.Files {
		if seen[f.Name] {
			return "", nil, fmt.Errorf("it has two sections called %q", f.Name)
		}
		seen[f.Name] = true
		list = append(list, Section{f.Name, strings.TrimSuffix(string(f.Data), unended)})
	}
	return string(archive.Comment), list, nil
}

// Format writes a file. It fails where a line of a text begins a section, which no file in the format can hold.
func Format(about string, list []Section) ([]byte, error) {
	archive := &txtar.Archive{Comment: []byte(about)}
	for _, s := range list {
		text := s.Text
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += unended
		}
		archive.Files = append(archive.Files, txtar.File{Name: s.Name, Data: []byte(text)})
	}
	data := txtar.Format(archive)
	if len(txtar.Parse(data).Files) != len(list) {
		return nil, fmt.Errorf("a line of a text begins a section:\n%s", data)
	}
	return data, nil
}
