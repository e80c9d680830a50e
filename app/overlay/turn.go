package overlay

// Turn names an edit: who writes, and the number of the edit among those of this writer. The zero Turn is of nobody.
type Turn struct {
	Writer string
	Number uint64
}

// isOf says whether both are edits of one writer.
func (t Turn) isOf(other Turn) bool { return t.Writer != "" && t.Writer == other.Writer }

// follows says whether an edit goes on from another one of the same writer, whether or not the writer has heard of it.
func (t Turn) follows(last Turn) bool {
	return t.isOf(last) && t.Number >= last.Number
}

// before says whether an edit is older than another one of the same writer.
func (t Turn) before(last Turn) bool {
	return t.isOf(last) && t.Number < last.Number
}

// next is the first edit of the writer after this one.
func (t Turn) next() Turn { return Turn{Writer: t.Writer, Number: t.Number + 1} }

// Part says what of a file's unsaved texts is part of a text that is saved: drafts up to a version, and the edits of the
// writer up to a number.
type Part struct {
	Version uint64
	By      Turn
}

// Knows says whether whoever saves knows a draft: it is theirs, or they have seen it.
func (p Part) Knows(d Draft) bool {
	return d.Version <= p.Version || p.By.isOf(d.By)
}

func (p Part) includes(d *Draft) bool {
	return d.Version <= p.Version || p.By.follows(d.By)
}
