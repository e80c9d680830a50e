// Package template recognises configs that are templates: texts in which ${name}, {{ name }} or words such as
// INSERT_NAME stand for what somebody fills in before Triton reads the file. It finds the placeholders, fills them,
// and makes of a template a text of the same length that parses, so that everything else can be checked already.
//
// All functions are pure and take time linear in the text.
package template

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"conch/configedit/diag"
)

// Where says what a placeholder stands for.
type Where string

// The places of placeholders.
const (
	InValue Where = "value" // a value: a number, a word, a whole list
	InText  Where = "text"  // a part of a string in quotes
	InBlock Where = "block" // fields, or nothing
)

// Placeholder is one name that is to be filled in.
type Placeholder struct {
	Name string
	// Spans are all its places in the text, in order.
	Spans []diag.Span
	// Default is what the template itself gives, as in ${name:-1}.
	Default string
	// Where is what its first place is.
	Where Where
}

// mark is one piece of a text that is no config.
type mark struct {
	// span is the placeholder, and whole the word that it is a part of: KIND_${KIND}.
	span, whole diag.Span
	// name is empty for what only steers a template engine, such as {% if … %}.
	name, fallback string
	where          Where
}

// beginnings are what every placeholder begins with; nearly all configs have none of them.
var beginnings = [][]byte{[]byte("${"), []byte("{{"), []byte("{%"), []byte("{#"), []byte("INSERT_"), []byte("REPLACE_"), []byte("YOUR_")}

var (
	opening = regexp.MustCompile(`\$\{[^{}\n]*\}|\{\{[^\n]*?\}\}|\{%[^\n]*?%\}|\{#[^\n]*?#\}|\b(?:INSERT|REPLACE|YOUR)_[A-Z0-9_]+\b`)
	shell   = regexp.MustCompile(`^\$\{\s*([A-Za-z_][\w.]*)\s*(?::?[-=](.*?))?\s*\}$`)
	jinja   = regexp.MustCompile(`^\{\{-?\s*([A-Za-z_.$][\w.]*)\s*(?:\|\s*default\((.*?)\))?.*\}\}$`)
)

// Is tells whether a text is a template.
func Is(src []byte) bool {
	if !slices.ContainsFunc(beginnings, func(b []byte) bool { return bytes.Contains(src, b) }) || !opening.Match(src) {
		return false
	}
	return len(marks(src)) > 0
}

// Placeholders lists what is to be filled in, by first appearance.
func Placeholders(src []byte) []Placeholder {
	var list []Placeholder
	known := map[string]int{}
	for _, m := range marks(src) {
		if m.name == "" {
			continue
		}
		i, ok := known[m.name]
		if !ok {
			i = len(list)
			known[m.name] = i
			list = append(list, Placeholder{Name: m.name, Where: m.where})
		}
		list[i].Spans = append(list[i].Spans, m.span)
		if list[i].Default == "" {
			list[i].Default = m.fallback
		}
	}
	return list
}

// Fill writes values in place of placeholders; those without a value stay.
func Fill(src []byte, values map[string]string) []byte {
	var out []byte
	from := 0
	for _, m := range marks(src) {
		value, given := values[m.name]
		if !given {
			continue
		}
		out = append(append(out, src[from:m.span.Start]...), value...)
		from = m.span.End
	}
	return append(out, src[from:]...)
}

// Mask makes a text of the same length in which values are a number of one digit, and what stands for fields or
// steers a template engine is blank. Strings stay as they are, except that letter takes the place of what they hold.
func Mask(src []byte, digit, letter byte) []byte {
	out := slices.Clone(src)
	for _, m := range marks(src) {
		blank(out[m.whole.Start:m.whole.End], ' ')
		switch m.where {
		case InValue:
			out[m.whole.Start] = digit
		case InText:
			blank(out[m.whole.Start:m.whole.End], letter)
		}
	}
	return out
}

// Spans are the places that a mask covers.
func Spans(src []byte) []diag.Span {
	var list []diag.Span
	for _, m := range marks(src) {
		list = append(list, m.whole)
	}
	return list
}

func blank(b []byte, with byte) {
	for i := range b {
		if b[i] != '\n' {
			b[i] = with
		}
	}
}

// reading is what a mark is, as valid text.
func reading(s string) (name, fallback string) {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if m := shell.FindStringSubmatch(s); m != nil {
		return m[1], m[2]
	}
	if m := jinja.FindStringSubmatch(s); m != nil {
		return strings.Trim(m[1], ".$"), strings.Trim(m[2], `"'`)
	}
	if strings.HasPrefix(s, "{%") || strings.HasPrefix(s, "{#") {
		return "", ""
	}
	return strings.Trim(s, "${} \t"), ""
}
