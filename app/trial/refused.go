package trial

import (
	"fmt"
	"strings"

	"conch/configedit/backends"
)

// LibraryError is an ErrFailed whose reason a library told in words that are for its makers.
type LibraryError struct {
	Text  string // for people: what is wrong, and what can be done
	Words string // the library's
}

func (e *LibraryError) Error() string { return e.Text }

func (e *LibraryError) Unwrap() error { return ErrFailed }

// refused says why the model was not loaded.
func (o Order) refused(why string) error {
	text, words, said := strings.Cut(why, backends.LibrarySays)
	if !said || !strings.Contains(text, backends.NoAdapter) {
		return fmt.Errorf("%w with %s: %s", ErrFailed, o.Provider.Label, why)
	}
	return &LibraryError{
		Text:  fmt.Sprintf("%s was not loaded with %s, which %s, or choose another provider", o.Config.Name, o.Provider.Label, backends.NoAdapter),
		Words: words,
	}
}
