package python

import (
	"bufio"
	"io"

	"conch/engine/backend/python/wire"
)

const (
	// readAhead is how much is read from a connection at once.
	readAhead = 64 << 10
	// longestFrame bounds what a damaged process can make the engine allocate.
	longestFrame = 1 << 31
)

// frames reads frames.
type frames struct{ in *bufio.Reader }

func newFrames(conn io.Reader) frames { return frames{bufio.NewReaderSize(conn, readAhead)} }

// next reads a frame. Its payload has memory of its own.
func (f frames) next() (wire.Header, []byte, error) {
	head, err := f.in.Peek(wire.HeaderSize)
	if err != nil {
		return wire.Header{}, nil, err
	}
	h := wire.ReadHeader(head)
	if h.Length > longestFrame {
		return h, nil, wire.ErrBroken
	}
	_, _ = f.in.Discard(wire.HeaderSize)
	payload := make([]byte, h.Length)
	_, err = io.ReadFull(f.in, payload)
	return h, payload, err
}
