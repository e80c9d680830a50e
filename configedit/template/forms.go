package template

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// The plain forms are surely placeholders: no config has them by chance.
var (
	plain = regexp.MustCompile(`\$\{[^{}\n]*\}|\{\{[^\n]*?\}\}|\{%[^\n]*?%\}|\{#[^\n]*?#\}|\b(?:INSERT|REPLACE|YOUR)_[A-Z0-9_]+\b`)
	shell = regexp.MustCompile(`^\$\{\s*([A-Za-z_][\w.]*)\s*(?::?[-=](.*?))?\s*\}$`)
	jinja = regexp.MustCompile(`^\{\{-?\s*([A-Za-z_.$][\w.]*)\s*(?:\|\s*default\((.*?)\))?.*\}\}$`)
)

// plainBeginnings are what every plain form begins with; nearly all configs have none of them.
var plainBeginnings = [][]byte{
	[]byte("${"), []byte("{{"), []byte("{%"), []byte("{#"), []byte("INSERT_"), []byte("REPLACE_"), []byte("YOUR_"),
}

// loose are all forms. Those that are not plain mean something else in some config: #name is a comment, <name> begins a
// message, and MAX_BATCH may be a mistake. They count in a text that Triton refuses, in place of a value.
var loose = regexp.MustCompile(plain.String() +
	`|#[A-Za-z_]\w*|\$[A-Za-z_]\w*|@[A-Za-z_]\w*@|%[A-Za-z_]\w*%|%\([A-Za-z_]\w*\)[sd]|<[A-Za-z_][\w-]*>|\{[A-Za-z_]\w*\}` +
	`|\b_*[A-Z][A-Z0-9_]+\b`)

// form is how a placeholder is written.
type form int

const (
	plainForm form = iota
	wordForm       // INSERT_NAME, which is the name of something too where it is in quotes
	hashForm       // #name
	capsForm       // MAX_BATCH
	signForm       // $NAME, @NAME@, %NAME%, %(name)s, <name>, {name}
)

func formOf(s string) form {
	switch {
	case isWordForm(s):
		return wordForm
	case plain.MatchString(s):
		return plainForm
	case s[0] == '#':
		return hashForm
	case s[0] == '_' || s[0] >= 'A' && s[0] <= 'Z':
		return capsForm
	}
	return signForm
}

func isWordForm(s string) bool {
	return strings.HasPrefix(s, "INSERT_") || strings.HasPrefix(s, "REPLACE_") || strings.HasPrefix(s, "YOUR_")
}

// noNames are words in capitals that people write for a value itself.
var noNames = []string{
	"NONE", "NULL", "NIL", "AUTO", "TRUE", "FALSE", "YES", "NO", "ON", "OFF", "INF", "INFINITY", "NAN", "ANY", "ALL", "MAX", "MIN", "DEFAULT",
	"DYNAMIC", "VARIABLE", "UNLIMITED", "UNKNOWN", "ONE", "TWO", "FOUR", "EIGHT",
}

// isName reports whether a word in capitals may be the name of a placeholder. TYPE_FP32 is a value in the wrong place.
func isName(word string) bool {
	return !slices.Contains(noNames, word) && !strings.HasPrefix(word, "TYPE_") && !strings.HasPrefix(word, "KIND_")
}

// listEnd is the rest of a line behind a #name in a list, up to the end of the list. valueEnd is the rest of a line
// behind a #name that is a value by itself.
var (
	listEnd  = regexp.MustCompile(`^(?:\s*,\s*[#\w${}-]+)*\s*\]`)
	valueEnd = regexp.MustCompile(`^[ \t\r]*(?:$|\n|[#,;}\]])`)
)

// longestRest bounds how much of a line is read.
const longestRest = 1000

// counts reports whether what is written at the scanner's place is a placeholder.
func (s *scanner) counts(f form, start, end int) bool {
	if s.quote != 0 {
		return f != capsForm && (f != hashForm || s.fills(start, end))
	}
	switch f {
	case plainForm, wordForm:
		return true
	case hashForm:
		return s.beginsValue() && s.hash(start, end)
	case capsForm:
		return s.beginsValue() && s.numeric(s.src[s.field.Start:s.field.End]) && isName(s.src[start:end])
	}
	return s.beginsValue()
}

// hash reports whether #name is a placeholder where a value begins: it goes on with a word that does not end there, as
// TYPE_#DTYPE does, or the rest of the line is no comment.
func (s *scanner) hash(start, end int) bool {
	rest := s.src[end:min(end+longestRest, len(s.src))]
	switch {
	case start > 0 && isWord(s.src[start-1]):
		return s.src[start-1] == '_'
	case s.lists > 0:
		return listEnd.MatchString(rest)
	}
	return valueEnd.MatchString(rest)
}

// fills reports whether a string holds only the placeholder.
func (s *scanner) fills(start, end int) bool {
	return s.src[start-1] == s.quote && end < len(s.src) && s.src[end] == s.quote
}

// counted are marks that make a template: some other than a word in quotes.
func counted(list []mark) []mark {
	if slices.ContainsFunc(list, func(m mark) bool { return m.form == plainForm || m.where != InText }) {
		return list
	}
	return nil
}

// hasPlain quickly reports whether a text may have a plain form.
func hasPlain(src []byte) bool {
	return slices.ContainsFunc(plainBeginnings, func(b []byte) bool { return bytes.Contains(src, b) })
}

// reading is what a mark is, as valid text.
func reading(s string, f form) (name, fallback string) {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if m := shell.FindStringSubmatch(s); m != nil {
		return m[1], m[2]
	}
	if m := jinja.FindStringSubmatch(s); m != nil {
		return strings.Trim(m[1], ".$"), strings.Trim(m[2], `"'`)
	}
	switch {
	case strings.HasPrefix(s, "{%"), strings.HasPrefix(s, "{#"):
		return "", ""
	case strings.HasPrefix(s, "%("):
		return s[2 : len(s)-2], ""
	case f == signForm || f == hashForm:
		return strings.Trim(s, "#$@%<>{}"), ""
	}
	return strings.Trim(s, "${} \t"), ""
}
