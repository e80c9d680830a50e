package httpapi

import (
	"errors"
	"io"
	"sync"

	"conch/engine/budget"
	"conch/engine/infer"
)

// buffer is memory that requests hand on to each other.
type buffer struct {
	bytes []byte
	// counted is how much of it an account holds.
	counted int
}

const (
	firstRead  = 1 << 20 // memory taken on the word of Content-Length
	unknown    = 4 << 10 // and without one
	keptBuffer = 4 << 20 // larger ones go back to the garbage collector
)

var buffers = sync.Pool{New: func() any { return new(buffer) }}

func takeBuffer() *buffer { return buffers.Get().(*buffer) }

func (b *buffer) giveBack() {
	if cap(b.bytes) <= keptBuffer {
		b.bytes, b.counted = b.bytes[:0], 0
		buffers.Put(b)
	}
}

// reserve makes room for size bytes, counted in the account before it is taken.
func (b *buffer) reserve(account *budget.Account, size int) error {
	if err := account.Grow(int64(size - b.counted)); err != nil {
		return err
	}
	b.counted = size
	if cap(b.bytes) < size {
		larger := make([]byte, len(b.bytes), size)
		copy(larger, b.bytes)
		b.bytes = larger
	}
	return nil
}

// body is what a request's bytes are read from.
type body struct {
	io.Reader
	account *budget.Account
	hint    int64  // how long it says it is; -1 when it does not
	limit   int64  // how long it may be
	renew   func() // gives the client time anew for the next bytes; it has some for the first
}

// fill reads a body to its end.
func (b *buffer) fill(r body) error {
	b.bytes = b.bytes[:0]
	whole := int(min(r.hint, r.limit)) + 1 // one byte more, in which the end is seen
	first := unknown
	if r.hint >= 0 {
		first = min(whole, firstRead)
	}
	if err := b.reserve(r.account, first); err != nil {
		return unread(err)
	}
	for {
		n, err := r.Read(b.bytes[len(b.bytes):b.counted])
		b.bytes = b.bytes[:len(b.bytes)+n]
		switch {
		case int64(len(b.bytes)) > r.limit:
			return tooLarge(int64(len(b.bytes)), r.limit)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return infer.Errorf(infer.InvalidArg, "failed to read the request body: %v", err)
		}
		if len(b.bytes) == b.counted {
			more := 2 * b.counted
			if b.counted < whole {
				more = min(more, whole)
			}
			if err := b.reserve(r.account, more); err != nil {
				return unread(err)
			}
		}
		r.renew()
	}
}
