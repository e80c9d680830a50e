package diag

// Confidence says how certain a fix is, and so who may apply it. Ask it with IsSafe.
type Confidence uint8

const (
	// Suggestion: the fix is probably right; a person looks at it first. It is the default.
	Suggestion Confidence = iota
	// Safe: the fix is certainly right, so a program may apply it unseen. A safe fix deletes nothing that a person
	// wrote, renames nothing that Triton accepts, and does not rest on text that had to be guessed.
	Safe
)

// IsSafe reports whether a program may apply the fix unseen.
func (c Confidence) IsSafe() bool { return c == Safe }

// String returns the word used in reports: safe or suggestion.
func (c Confidence) String() string {
	if c == Safe {
		return "safe"
	}
	return "suggestion"
}

// Safely states that fixes are safe.
func Safely(fixes []Fix) []Fix {
	for i := range fixes {
		fixes[i].Confidence = Safe
	}
	return fixes
}

// Doubt makes suggestions of all fixes of a list, for a text that had to be guessed in part.
func Doubt(list []Diagnostic) {
	for _, d := range list {
		for i := range d.Fixes {
			d.Fixes[i].Confidence = Suggestion
		}
	}
}

// MarshalText returns the word, for JSON reports.
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
