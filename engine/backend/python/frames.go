package python

import (
	"bufio"
	"errors"
	"io"
	"os"

	"conch/engine/backend/python/wire"
)

const (
	// readAhead is how much is read from a connection at once.
	readAhead = 64 << 10
	// longestFrame bounds what a damaged process can make the engine allocate.
	longestFrame = 1 << 31
)

// frames reads frames. A read that was given up goes on where it was.
type frames struct {
	in      *bufio.Reader
	head    wire.Header
	payload []byte // of the frame that is being read; nil between frames
	got     int    // how much of it has come
}

func newFrames(conn io.Reader) frames { return frames{in: bufio.NewReaderSize(conn, readAhead)} }

// next reads a frame. Its payload has memory of its own.
func (f *frames) next() (wire.Header, []byte, error) {
	if f.payload == nil {
		head, err := f.in.Peek(wire.HeaderSize)
		if err != nil {
			return wire.Header{}, nil, err
		}
		f.head = wire.ReadHeader(head)
		if f.head.Length > longestFrame {
			return f.head, nil, wire.ErrBroken
		}
		_, _ = f.in.Discard(wire.HeaderSize)
		f.payload, f.got = make([]byte, f.head.Length), 0
	}
	n, err := io.ReadFull(f.in, f.payload[f.got:])
	f.got += n
	payload := f.payload
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		f.payload = nil
	}
	return f.head, payload, err
}
