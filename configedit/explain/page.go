package explain

import (
	"slices"
	"strings"

	"conch/configedit/near"
	"conch/configedit/rule"
)

// Page is everything about one rule.
type Page struct {
	Rule *rule.Rule
	// When says how bad it is and when Triton looks.
	When string
	// Example is the difference between a wrong and a right config. It is empty for a few rules.
	Example []Line
}

// Of is the page of a rule.
func Of(r *rule.Rule) Page { return Page{Rule: r, When: when(r), Example: example(r)} }

// when says how bad a finding is and when Triton looks.
func when(r *rule.Rule) string {
	switch {
	case r.Severity.IsAdvice() && r.Stage == rule.Never:
		return "Advice: it works, but could work better."
	case r.Severity.IsAdvice():
		return "Advice: Triton refuses the file as it is."
	case r.Perhaps:
		return "Warning: some servers refuse the model, by what they have; others take it."
	case r.Stage == rule.Never && r.Severity.IsWarning():
		return "Warning: Triton accepts the model, but this is probably a mistake."
	}
	return "Error: Triton refuses the model " + r.Stage.Moment() + "."
}

// part is a paragraph of a page, with the words that lead it.
type part struct{ lead, text string }

func (p Page) parts() []part {
	list := []part{{"", p.When}, {"", p.Rule.Means}, {"Why", p.Rule.Why}, {"What to do", p.Rule.Fix}}
	return slices.DeleteFunc(list, func(x part) bool { return x.text == "" })
}

// hundred is how wide plain text is.
const hundred = 100

// Text is the page for a terminal.
func (p Page) Text() string {
	var b strings.Builder
	b.WriteString(p.Rule.ID + ": " + p.Rule.Title + "\n")
	for _, x := range p.parts() {
		text := x.text
		if x.lead != "" {
			text = x.lead + ": " + text
		}
		b.WriteString("\n" + wrapped(text, hundred) + "\n")
	}
	if said := p.Rule.Sentences(); len(said) > 0 {
		b.WriteString("\nTriton says:\n")
		for _, s := range said {
			b.WriteString("    " + s + "\n")
		}
	}
	if len(p.Example) > 0 {
		b.WriteString("\nExample, with - before what is wrong and + before what is right:\n")
		b.WriteString(indented("    ", p.Example))
	}
	return b.String()
}

// indented writes the lines of an example.
func indented(margin string, lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(margin+string(l.Mark)+" "+l.Text, " ") + "\n")
	}
	return b.String()
}

// wrapped breaks text into lines.
func wrapped(text string, width int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch n := len([]rune(word)); {
		case column == 0:
			column = n
		case column+1+n > width:
			b.WriteByte('\n')
			column = n
		default:
			b.WriteByte(' ')
			column += 1 + n
		}
		b.WriteString(word)
	}
	return b.String()
}

// List names all rules, subject by subject.
func List() string {
	var b strings.Builder
	for i, s := range rule.Subjects() {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s.Title + "\n")
		for _, r := range s.Rules() {
			b.WriteString("  " + r.ID + strings.Repeat(" ", max(1, widest-len(r.ID))) + r.Title + "\n")
		}
	}
	return b.String()
}

// widest is the room for an identifier in a list.
const widest = 20

// Near are the identifiers that somebody may have meant who wrote one that does not exist, the nearest first. It is
// empty when no identifier is near: at most a third of the letters may be wrong.
func Near(id string) []string {
	const most = 5
	id = strings.ToUpper(id)
	if len(id) > 2*widest {
		return nil
	}
	distance := func(name string) int { return near.Distance(id, strings.ToUpper(name)) }
	var names []string
	for _, r := range rule.All() {
		if distance(r.ID) <= max(1, len(id)/3) {
			names = append(names, r.ID)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return distance(a) - distance(b) })
	return names[:min(most, len(names))]
}
