package overlay

import "fmt"

// Bounds limit how much an overlay holds. A text over a bound is refused; no other text is dropped to
// make room for it.
type Bounds struct {
	Files int
	// Text limits one text. All limits all texts together with their bases. Both are in bytes.
	Text, All int
}

// Usual is far more than people leave unsaved, and still needs little memory.
var Usual = Bounds{Files: 500, Text: 8 << 20, All: 128 << 20}

// NewerError says that the file has a newer edit, which the writer has not seen.
type NewerError struct{ Draft Draft }

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has unsaved changes that were made in another window", e.Draft.Path)
}

// GoneError says that the draft that an edit continues was discarded or saved.
type GoneError struct{ Key Key }

func (e *GoneError) Error() string {
	return fmt.Sprintf("the unsaved changes of %s were discarded or saved in another window", e.Key.Path)
}

// FullError says why a text is not kept, and what to do.
type FullError struct{ Why string }

func (e *FullError) Error() string { return e.Why }

// room fails where next does not fit in place of old. It needs mu.
func (o *Overlay) room(old, next *Draft) error {
	files, bytes := len(o.drafts)+1, o.bytes+next.size()
	if old != nil {
		files, bytes = files-1, bytes-old.size()
	}
	switch {
	case len(next.Text) > o.bounds.Text:
		return &FullError{fmt.Sprintf("%s has more than %d MiB; texts up to that size are kept and saved, so make it smaller", next.Path, o.bounds.Text>>20)}
	case files > o.bounds.Files:
		return &FullError{fmt.Sprintf("%d other files have unsaved changes, and no more are kept; save or discard some", o.bounds.Files)}
	case bytes > o.bounds.All && (old == nil || next.size() > old.size()):
		return &FullError{fmt.Sprintf("the unsaved texts together have more than %d MiB, and no more is kept; save or discard some", o.bounds.All>>20)}
	}
	return nil
}
