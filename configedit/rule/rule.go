package rule

import (
	"fmt"
	"regexp"
	"strings"

	"conch/configedit/diag"
)

// Rule is one rule. A finding adds the place, the message with the actual values, and the fixes.
type Rule struct {
	// ID is what people and machines see; it never changes. Golden cases are named after it. It has one form everywhere:
	// capitals, words joined by hyphens, and a number where a subject has several rules ("SB1", "TXT-ENUM", "LINK-LOOP").
	ID string
	// Stage is when Triton looks.
	Stage Stage
	// Severity is the severity of a finding, unless the check knows that Triton accepts this case.
	Severity diag.Severity
	// Perhaps means that some servers refuse the model and others take it, by what they have: backends, agents, GPUs.
	Perhaps bool
	// Status is the name of Triton's error code; empty means Invalid.
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

// Case is the prefix of the names of the rule's golden cases: its identifier without the mark ' at its end.
func (r *Rule) Case() string { return strings.TrimSuffix(r.ID, "'") + "-" }

// Compare orders rules of one subject as the table does. It returns a negative number if r comes before o.
func (r *Rule) Compare(o *Rule) int { return r.order - o.order }

// Sentence returns Triton's sentence with the values of one finding.
func (r *Rule) Sentence(args ...any) string { return fmt.Sprintf(r.Triton, args...) }

// Other returns another sentence of the rule. n is its number in Also, from 1.
func (r *Rule) Other(n int, args ...any) string { return fmt.Sprintf(r.Also[n-1], args...) }

// verbs matches the places in a format where values go.
var verbs = regexp.MustCompile(`%[a-zA-Z]`)

// Sentences returns Triton's sentences for people to read, with … in place of values.
func (r *Rule) Sentences() []string {
	var list []string
	for _, format := range append([]string{r.Triton}, r.Also...) {
		if format != "" {
			list = append(list, verbs.ReplaceAllString(format, "…"))
		}
	}
	return list
}
