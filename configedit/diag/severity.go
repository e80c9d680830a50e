package diag

import "fmt"

// Severity says how much a diagnostic matters. Ask it with IsError, IsWarning
// and IsAdvice; the order of the constants carries no meaning outside Sort.
type Severity uint8

const (
	// Error: Triton refuses the file or the model.
	Error Severity = iota
	// Warning: Triton accepts it, but it is probably a mistake.
	Warning
	// Advice: it works, but could work better.
	Advice
)

// IsError reports whether Triton refuses the model because of the diagnostic.
func (s Severity) IsError() bool { return s == Error }

// IsWarning reports whether Triton takes it though it is probably a mistake.
func (s Severity) IsWarning() bool { return s == Warning }

// IsAdvice reports whether it is only a suggestion.
func (s Severity) IsAdvice() bool { return s == Advice }

// String returns the word used in reports: error, warning or advice.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Advice:
		return "advice"
	}
	return fmt.Sprintf("severity(%d)", uint8(s))
}

// MarshalText returns the word, for JSON reports.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
