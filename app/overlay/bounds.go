package overlay

import "fmt"

// Bounds say how much an overlay holds. Nothing is pushed out at a bound: a text beyond it is refused, so that what
// was promised to be kept is.
type Bounds struct {
	Files int
	// Text bounds one text, and All the texts together with those that they began from; in bytes.
	Text, All int
}

// Usual is far beyond what people leave unsaved, and still little memory.
var Usual = Bounds{Files: 500, Text: 8 << 20, All: 128 << 20}

// NewerError says that a file was edited elsewhere since the writer looked.
type NewerError struct{ Draft Draft }

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has unsaved changes that were made in another window", e.Draft.Path)
}

// GoneError says that the draft which an edit goes on from was discarded or saved.
type GoneError struct{ Key Key }

func (e *GoneError) Error() string {
	return fmt.Sprintf("the unsaved changes of %s were discarded or saved in another window", e.Key.Path)
}

// FullError says that a text is not kept, and what to do.
type FullError struct{ Why string }

func (e *FullError) Error() string { return e.Why }

// room needs mu.
func (o *Overlay) room(old, next *Draft) error {
	files, bytes := len(o.drafts)+1, o.bytes+next.size()
	if old != nil {
		files, bytes = files-1, bytes-old.size()
	}
	switch {
	case len(next.Text) > o.bounds.Text:
		return &FullError{fmt.Sprintf("%s has more than %d MB; unsaved texts up to that size are kept, so save it or make it smaller", next.Path, o.bounds.Text>>20)}
	case files > o.bounds.Files:
		return &FullError{fmt.Sprintf("%d other files have unsaved changes, and no more are kept; save or discard some", o.bounds.Files)}
	case bytes > o.bounds.All && (old == nil || next.size() > old.size()):
		return &FullError{fmt.Sprintf("the unsaved texts together have more than %d MB, and no more is kept; save or discard some", o.bounds.All>>20)}
	}
	return nil
}
