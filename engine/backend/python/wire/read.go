package wire

import (
	"bytes"
	"errors"

	"conch/engine/tensor"
)

// ErrBroken says that a frame is not as the package's comment describes it.
var ErrBroken = errors.New("a message of the Python process is damaged")

// Segments finds the shared memory of the other side.
type Segments interface {
	// Take returns the memory of a segment, which nobody else gets until Release; false where there is none, or somebody has it.
	Take(segment uint32) ([]byte, bool)
	// Count counts bytes that are copied out of a segment, until Release, or returns why they may not be copied.
	Count(segment uint32, bytes uint64) error
	// Release gives a segment back.
	Release(segment uint32)
}

// Reader reads a payload from its beginning. After an error all reads give zero values.
type Reader struct {
	data     []byte
	at       int
	segments Segments
	segment  uint32 // that was taken for what is being read; 0 for none
	memory   []byte // of the segment
	broken   bool
	refused  error // why something was not copied
}

// NewReader returns a reader of a payload. The tensors that it reads are parts of the payload or of segments; segments may
// be nil where there are none.
func NewReader(payload []byte, segments Segments) *Reader {
	return &Reader{data: payload, segments: segments}
}

// Err returns ErrBroken after a read that failed.
func (r *Reader) Err() error {
	if r.broken {
		return ErrBroken
	}
	return nil
}

// Uint32 reads a number.
func (r *Reader) Uint32() uint32 {
	if b := r.take(4); b != nil {
		return le.Uint32(b)
	}
	return 0
}

// Uint64 reads a number.
func (r *Reader) Uint64() uint64 {
	if b := r.take(8); b != nil {
		return le.Uint64(b)
	}
	return 0
}

// Text reads a text of a known length.
func (r *Reader) Text(length uint32) string { return string(r.take(uint64(length))) }

// Numbers reads what is left as numbers.
func (r *Reader) Numbers() (list []uint32) {
	for r.More() {
		list = append(list, r.Uint32())
	}
	return list
}

// Rest returns what was not read yet.
func (r *Reader) Rest() []byte { return r.take(uint64(len(r.data) - r.at)) }

// More reports whether something is left.
func (r *Reader) More() bool { return !r.broken && r.at < len(r.data) }

// Reply reads an answer.
func (r *Reader) Reply() Reply {
	failed, code, outputs, lengths := r.Uint32() != 0, r.Uint32(), r.Uint32(), [...]uint32{r.Uint32(), r.Uint32()}
	reply := Reply{Failed: failed, Code: code, Error: r.Text(lengths[0]), Parameters: r.Text(lengths[1])}
	reply.Outputs = r.tensors(outputs)
	reply.Segment, reply.Refused = r.taken()
	if reply.Refused != nil {
		return Reply{Refused: reply.Refused}
	}
	return reply
}

// Invocation reads a request to another model.
func (r *Reader) Invocation() Invocation {
	c := Invocation{Parent: r.Uint64(), Version: int64(r.Uint64()), Decoupled: r.Uint32() != 0}
	c.Model = r.Text(r.Uint32())
	c.Request = r.request()
	c.Segment, c.Refused = r.taken()
	if c.Refused != nil {
		c.Request.Inputs = nil
	}
	return c
}

func (r *Reader) request() Request {
	q := Request{Handle: r.Uint64(), Timeout: r.Uint64(), Priority: r.Uint64(), Correlation: r.Uint64(), Flags: r.Uint32()}
	inputs, outputs := r.Uint32(), r.Uint32()
	lengths := [...]uint32{r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()}
	q.ID, q.Name, q.Parameters, q.Trace = r.Text(lengths[0]), r.Text(lengths[1]), r.Text(lengths[2]), r.Text(lengths[3])
	for range outputs {
		if r.broken {
			break
		}
		q.Outputs = append(q.Outputs, r.Text(r.Uint32()))
	}
	q.Inputs = r.tensors(inputs)
	return q
}

// leastTensor is the length of a tensor without a name, dimensions and bytes.
const leastTensor = 28

func (r *Reader) tensors(count uint32) []tensor.Tensor {
	if count == 0 || uint64(count) > uint64(len(r.data)-r.at)/leastTensor {
		r.broken = r.broken || count > 0
		return nil
	}
	list := make([]tensor.Tensor, 0, count)
	for range count {
		t := r.tensor()
		if r.broken {
			return nil
		}
		list = append(list, t)
	}
	return list
}

func (r *Reader) tensor() (t tensor.Tensor) {
	length, kinds := r.Uint32(), r.take(4)
	segment, offset, size := r.Uint32(), r.Uint64(), r.Uint64()
	t.Name = r.Text(length)
	if r.broken {
		return t
	}
	t.Type, t.Shape = tensor.DataType(kinds[0]), make(tensor.Shape, kinds[1])
	for i := range t.Shape {
		t.Shape[i] = int64(r.Uint64())
	}
	if segment != 0 {
		t.Data = r.shared(segment, offset, size)
		if t.Type == tensor.Bytes { // the lengths in it are checked once, and the other side could still change them
			t.Data = r.copied(t.Data)
		}
		return t
	}
	r.take(uint64(-r.at & 7))
	t.Data = r.take(size)
	return t
}

// shared returns a part of a segment. All tensors of an answer or call that lie in shared memory lie in one segment.
func (r *Reader) shared(segment uint32, offset, size uint64) []byte {
	if r.segment == 0 && r.segments != nil && !r.broken {
		if memory, ok := r.segments.Take(segment); ok {
			r.segment, r.memory = segment, memory
		}
	}
	if r.broken || segment != r.segment || offset > uint64(len(r.memory)) || size > uint64(len(r.memory))-offset {
		r.broken = true
		return nil
	}
	return r.memory[offset : offset+size : offset+size]
}

// copied returns a copy of a part of the segment. Pages of it that were never written take no memory, but a copy does.
func (r *Reader) copied(part []byte) []byte {
	if len(part) == 0 || r.refused != nil {
		return nil
	}
	if r.refused = r.segments.Count(r.segment, uint64(len(part))); r.refused != nil {
		return nil
	}
	return bytes.Clone(part)
}

// taken passes the segment of what was read to who has that from now on. What is damaged, or may not be copied, has none: the segment
// is given back.
func (r *Reader) taken() (segment uint32, refused error) {
	segment, refused = r.segment, r.refused
	r.segment, r.memory, r.refused = 0, nil, nil
	if (r.broken || refused != nil) && segment != 0 {
		r.segments.Release(segment)
		return 0, refused
	}
	return segment, refused
}

func (r *Reader) take(n uint64) []byte {
	if r.broken || n > uint64(len(r.data)-r.at) {
		r.broken = true
		return nil
	}
	part := r.data[r.at : r.at+int(n) : r.at+int(n)]
	r.at += int(n)
	return part
}
