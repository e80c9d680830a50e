package modelfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// Plan is the head of a TensorRT plan. The rest of the file is known to TensorRT alone, and only to the
// version that wrote it.
type Plan struct {
	// Format is the version of the file's form.
	Format uint32
	// Version is that of the TensorRT that wrote the plan, "10.3.0.26"; "" where the form is not known to say so.
	Version string
}

// A plan begins with planTag; in form 0 the bytes from planVersion on are TensorRT's version (trtexec's
// --getPlanVersionOnly reads it there).
const (
	planTag     = "ftrt"
	planVersion = 24
	planHead    = 28
)

// ReadPlan reads the head of a TensorRT plan. An error is an *Error, or the error of r.
func ReadPlan(r io.ReaderAt, size int64) (*Plan, error) {
	if size <= 0 {
		return nil, &Error{Truncated: true, Message: "the file is empty"}
	}
	if err := lfsPointer(r); err != nil {
		return nil, err
	}
	head := make([]byte, min(size, planHead))
	if n, err := r.ReadAt(head, 0); n < len(head) {
		return nil, fmt.Errorf("read the plan's head: %w", err)
	}
	switch {
	case !bytes.HasPrefix(head, []byte(planTag)):
		return nil, notPlan(r, size, head)
	case size < planHead:
		return nil, &Error{Offset: size, Truncated: true, Message: "the plan ends inside its head: it was cut off or is still being copied"}
	}
	p := &Plan{Format: binary.LittleEndian.Uint32(head[4:])}
	if v := head[planVersion:]; p.Format == 0 {
		p.Version = fmt.Sprintf("%d.%d.%d.%d", v[0], v[1], v[2], v[3])
	}
	return p, nil
}

// notPlan says what a file is that does not begin like a plan.
func notPlan(r io.ReaderAt, size int64, head []byte) error {
	message := "this is not a TensorRT plan: it does not begin like one"
	if bytes.HasPrefix(head, []byte(zipMagic)) {
		message = "this is an archive, such as PyTorch writes, not a TensorRT plan"
	} else if _, err := ReadONNX(r, size); err == nil {
		message = "this is an ONNX model, not a TensorRT plan: make one with trtexec --onnx=… --saveEngine=… on the GPU that will run it"
	}
	return &Error{Message: message}
}
