package overlay

// Turn names an edit: who writes, and the number of the edit among those of this writer. The zero Turn is of nobody.
type Turn struct {
	Writer string
	Number uint64
}

// follows says whether an edit goes on from another one of the same writer, whether or not the writer has heard of it.
func (t Turn) follows(last Turn) bool {
	return t.Writer != "" && t.Writer == last.Writer && t.Number >= last.Number
}

// before says whether an edit is older than another one of the same writer.
func (t Turn) before(last Turn) bool {
	return t.Writer != "" && t.Writer == last.Writer && t.Number < last.Number
}
