package explain

import (
	"strings"

	"conch/configedit/rule"
)

// File is the path in the project of the file with the pages of all rules.
const File = "docs/rules.md"

// Anchor is the name of the rule's heading in that file.
func Anchor(r *rule.Rule) string {
	keep := func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-':
			return c
		}
		return -1
	}
	return strings.Map(keep, strings.ToLower(r.ID))
}

// Markdown is the page in Markdown, without a heading.
func (p Page) Markdown() string {
	var b strings.Builder
	for i, x := range p.parts() {
		text := escaped(x.text)
		if x.lead != "" {
			text = "**" + x.lead + ":** " + text
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text + "\n")
	}
	if said := p.Rule.Sentences(); len(said) > 0 {
		b.WriteString("\nTriton says:\n\n```\n" + strings.Join(said, "\n") + "\n```\n")
	}
	if len(p.Example) > 0 {
		b.WriteString("\n```diff\n" + indented("", p.Example) + "```\n")
	}
	return b.String()
}

// markup matches characters that have a meaning in Markdown.
var markup = strings.NewReplacer("_", `\_`, "*", `\*`, "<", `\<`, "[", `\[`)

func escaped(text string) string { return markup.Replace(text) }

// Document is the file with the pages of all rules.
func Document() string {
	var b strings.Builder
	b.WriteString("# The rules of `conch check`\n\n")
	b.WriteString("Written by `make generate` from the table in configedit/rule and the cases in configedit/check/testdata;\n")
	b.WriteString("edit these. `conch explain RULE` prints the same for one rule.\n\n")
	b.WriteString("A rule's name is written in capitals: letters for its subject and a number (`SB1`, `EV6`), or words (`TXT-ENUM`,\n")
	b.WriteString("`LINK-LOOP`). The window, `conch check` in all its formats and `conch explain` use the same names. They never change.\n\n")
	b.WriteString("In examples, lines with - are wrong and lines with + are right.\n\n")
	for _, s := range rule.Subjects() {
		b.WriteString("- [" + s.Title + "](#" + heading(s.Title) + ")\n")
	}
	for _, s := range rule.Subjects() {
		b.WriteString("\n## " + s.Title + "\n")
		for _, r := range s.Rules() {
			b.WriteString("\n<a id=\"" + Anchor(r) + "\"></a>\n\n### " + r.ID + ": " + escaped(r.Title) + "\n\n" + Of(r).Markdown())
		}
	}
	return b.String()
}

// heading is the anchor that Markdown gives a heading.
func heading(title string) string {
	return strings.ReplaceAll(strings.Map(func(c rune) rune {
		if c == ':' || c == ',' {
			return -1
		}
		return c
	}, strings.ToLower(title)), " ", "-")
}
