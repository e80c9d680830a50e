package modelfile

import (
	"strings"
)

// readClass looks for a class in the text of a program, and for its forward. TorchScript writes programs in one form
// only: classes begin lines, methods are indented by two blanks.
func (m *TorchScript) readClass(source, class string) bool {
	body, ok := afterLine(source, "class "+class+"(")
	if !ok {
		return false
	}
	if next := strings.Index(body, "\nclass "); next >= 0 {
		body = body[:next]
	}
	head, ok := afterLine(body, "  def forward(")
	if !ok {
		return true
	}
	list, rest, ok := closing(head)
	if !ok {
		return false
	}
	arguments := splitArguments(list)
	if len(arguments) == 0 {
		return false
	}
	m.Forward = true
	for _, a := range arguments[1:] { // less self
		name, typ, _ := strings.Cut(a, ":")
		m.Arguments = append(m.Arguments, Argument{Name: strings.TrimSpace(name), Type: strings.TrimSpace(withoutDefault(typ))})
	}
	if returns, ok := strings.CutPrefix(strings.TrimSpace(rest), "->"); ok {
		line, _, _ := strings.Cut(returns, "\n")
		m.Returns = strings.TrimSuffix(strings.TrimSpace(line), ":")
	}
	return true
}

// afterLine returns the text after prefix, from the first line that begins with it.
func afterLine(source, prefix string) (string, bool) {
	if rest, ok := strings.CutPrefix(source, prefix); ok {
		return rest, true
	}
	_, rest, ok := strings.Cut(source, "\n"+prefix)
	return rest, ok
}

// closing parts a text at the bracket that closes the one before it.
func closing(s string) (inside, rest string, ok bool) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\'', '"':
			i = quoteEnd(s, i)
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
			if depth < 0 {
				return s[:i], s[i+1:], true
			}
		}
	}
	return "", "", false
}

// quoteEnd is where a literal ends that begins at i.
func quoteEnd(s string, i int) int {
	for j := i + 1; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case s[i]:
			return j
		}
	}
	return len(s)
}

// splitArguments parts a list at the commas that are in no brackets and no literal.
func splitArguments(list string) []string {
	var arguments []string
	depth, start := 0, 0
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '\'', '"':
			i = quoteEnd(list, i)
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				arguments = append(arguments, list[start:i])
				start = i + 1
			}
		}
	}
	if strings.TrimSpace(list[min(start, len(list)):]) != "" {
		arguments = append(arguments, list[start:])
	}
	return arguments
}

// withoutDefault takes "=CONSTANTS.c0" from behind a type, which has no such sign itself.
func withoutDefault(typ string) string {
	before, _, _ := strings.Cut(typ, "=")
	return before
}
