package rule

import (
	"fmt"
	"regexp"
	"strings"

	"conch/configedit/diag"
)

// Rule is one rule. What a finding of it adds is the place, the message with the values at hand, and the fixes.
type Rule struct {
	// ID is what people and machines see; it never changes. Golden cases are named after it. It has one form everywhere:
	// capitals, words joined by hyphens, and a number where a subject has several rules ("SB1", "TXT-ENUM", "LINK-LOOP").
	ID string
	// Stage is when Triton looks.
	Stage Stage
	// Severity is that of a finding, unless the check knows that Triton takes the case at hand.
	Severity diag.Severity
	// Status is the name of Triton's error code; empty stands for Invalid.
	Status Status
	// Triton is the sentence that Triton prints, as a format; empty when it prints nothing. Also lists other sentences
	// that it prints for the same mistake.
	Triton string
	Also   []string

	// Title says in a few words what is wrong. Means explains it, Why says why Triton has the rule,
	// and Fix is the way out.
	Title, Means, Why, Fix string

	subject *Subject
	order   int
}

// Status is the name of an error code, as Triton prints it before its sentence
// (docs/triton/validation.md, "Error codes").
type Status string

// The statuses.
const (
	Invalid     Status = "Invalid argument"
	Internal    Status = "Internal"
	Unsupported Status = "Unsupported"
	NotFound    Status = "Not found"
	Unavailable Status = "Unavailable"
)

// Subject is what a group of rules is about.
type Subject struct {
	// Title is a heading.
	Title string
	rules []*Rule
}

// Rules are the rules of the subject, in the order of the table.
func (s *Subject) Rules() []*Rule { return s.rules }

// rule adds a rule to the subject.
func (s *Subject) rule(r Rule) *Rule {
	r.subject, r.order = s, len(s.rules)
	if r.Status == "" {
		r.Status = Invalid
	}
	s.rules = append(s.rules, &r)
	return &r
}

// Subject is what the rule is about.
func (r *Rule) Subject() *Subject { return r.subject }

// Case is how the names of the rule's golden cases begin: its identifier without a mark that file names should not have.
func (r *Rule) Case() string { return strings.TrimSuffix(r.ID, "'") + "-" }

// Compare orders rules of one subject as the table does.
func (r *Rule) Compare(o *Rule) int { return r.order - o.order }

// Sentence is Triton's sentence with the values of one finding.
func (r *Rule) Sentence(args ...any) string { return fmt.Sprintf(r.Triton, args...) }

// Other is another sentence of the rule, by its number in Also, from 1.
func (r *Rule) Other(n int, args ...any) string { return fmt.Sprintf(r.Also[n-1], args...) }

// verbs are the places in a format where values go.
var verbs = regexp.MustCompile(`%[a-zA-Z]`)

// Sentences are Triton's sentences for people, with … where values go.
func (r *Rule) Sentences() []string {
	var list []string
	for _, format := range append([]string{r.Triton}, r.Also...) {
		if format != "" {
			list = append(list, verbs.ReplaceAllString(format, "…"))
		}
	}
	return list
}
