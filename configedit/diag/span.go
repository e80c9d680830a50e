package diag

// Span is a half-open range of byte offsets in one file.
type Span struct {
	Start, End int
}

// Len is the number of bytes in the span.
func (s Span) Len() int { return s.End - s.Start }

// IsEmpty reports whether the span marks a point between two bytes.
func (s Span) IsEmpty() bool { return s.End <= s.Start }

// Contains reports whether the byte at off is in the span.
func (s Span) Contains(off int) bool { return s.Start <= off && off < s.End }

// Touches reports whether a caret at off is in the span or at one of its ends.
func (s Span) Touches(off int) bool { return s.Start <= off && off <= s.End }

// Join is the smallest span that covers both.
func (s Span) Join(other Span) Span {
	return Span{Start: min(s.Start, other.Start), End: max(s.End, other.End)}
}
