package modelfile

import (
	"io"
)

// Error says why a model file cannot be read.
type Error struct {
	// Offset is where in the file it shows.
	Offset int64
	// Truncated is set where the file ends too early: it was cut, or is still being copied.
	Truncated bool
	// Lacks is the file that the archive would need to be a model.
	Lacks string
	// Graphless is set for an ONNX file that can be read and has no graph, such as an empty one.
	Graphless bool
	// Unjudged means that the framework may read the file though Conch does not.
	Unjudged bool
	Message  string
}

// Error is a sentence without the file's name.
func (e *Error) Error() string { return e.Message }

// lfsPointer recognises the text that a clone without Git LFS has instead of a model (git-lfs specification).
func lfsPointer(r io.ReaderAt) error {
	const pointer = "version https://git-lfs.github.com/spec/"
	head := make([]byte, len(pointer))
	if n, _ := r.ReadAt(head, 0); string(head[:n]) != pointer {
		return nil
	}
	return &Error{Message: "this is a Git LFS pointer, not the model itself: run git lfs pull"}
}
