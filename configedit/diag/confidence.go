package diag

// Confidence tells how sure a fix is of what was meant, and so who may apply it. Ask it with IsSafe.
type Confidence uint8

const (
	// Suggestion: most likely what was meant; a person looks at it first. It is what a fix is that says nothing.
	Suggestion Confidence = iota
	// Safe: what was meant is certain, so that a program may apply it unseen. A safe fix deletes nothing that a person
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

// MarshalText writes the word, so that JSON reports read well.
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
