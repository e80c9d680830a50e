package overlay

// Turn names an edit: its writer, and its number among the edits of this writer. The zero Turn has no
// writer.
type Turn struct {
	Writer string
	Number uint64
}

// isOf reports whether both edits are of one writer.
func (t Turn) isOf(other Turn) bool { return t.Writer != "" && t.Writer == other.Writer }

// follows reports whether an edit continues another one of the same writer. The writer may have no
// answer to it yet.
func (t Turn) follows(last Turn) bool {
	return t.isOf(last) && t.Number >= last.Number
}

// before reports whether an edit is older than another one of the same writer.
func (t Turn) before(last Turn) bool {
	return t.isOf(last) && t.Number < last.Number
}

// next returns the writer's first edit after this one.
func (t Turn) next() Turn { return Turn{Writer: t.Writer, Number: t.Number + 1} }

// Part says which unsaved texts of a file a saved text includes: drafts up to a version, and the
// writer's edits up to a number.
type Part struct {
	Version uint64
	By      Turn
	// Began is the version of the file on disk that the saved text began from; "" where there was no file.
	Began string
}

// Knows reports whether the saving writer knows a draft: it is the writer's own, or the writer has
// seen it.
func (p Part) Knows(d Draft) bool {
	return d.Version <= p.Version || p.By.isOf(d.By)
}

func (p Part) includes(d *Draft) bool {
	return d.Version <= p.Version || p.By.follows(d.By)
}
