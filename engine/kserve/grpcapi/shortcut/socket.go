package shortcut

import (
	"io"
	"net"

	"conch/engine/unblocking"
)

// socket is how a client's connection is read and written.
type socket struct {
	conn   net.Conn
	in     io.Reader
	short  io.Writer        // up to shortWrite
	spin   *unblocking.Spin // of the next read; nil where it cannot spin
	vector net.Conn         // takes many pieces at once; nil where it cannot
	pieces [][]byte         // memory for them
}

// shortWrite is how much is written without telling Go's scheduler. With more, the telling costs little beside the bytes, and others
// may have the processor meanwhile.
const shortWrite = 64 << 10

func (s *socket) init(c net.Conn, encrypted bool) {
	s.conn, s.in, s.short = c, c, c
	if raw := unblocking.Raw(c); raw != nil && !encrypted {
		r := unblocking.NewReader(raw)
		s.in, s.short, s.spin = r, unblocking.NewWriter(raw), &r.Spin
		s.vector = unblocking.Under(c)
	}
}

// Write implements io.Writer, for one goroutine at a time.
func (s *socket) Write(b []byte) (int, error) {
	if len(b) > shortWrite {
		return s.conn.Write(b)
	}
	return s.short.Write(b)
}

// send writes bytes with the parts that belong between them, for one goroutine at a time.
func (s *socket) send(b []byte, parts []lent) error {
	if len(parts) == 0 {
		_, err := s.Write(b)
		return err
	}
	pieces, at := s.pieces[:0], 0
	for _, p := range parts {
		pieces = append(pieces, b[at:p.behind], p.text)
		at = p.behind
	}
	if at < len(b) {
		pieces = append(pieces, b[at:])
	}
	s.pieces = pieces
	_, err := (*net.Buffers)(&pieces).WriteTo(s.vector)
	clear(s.pieces) // what was not written is freed anyway
	return err
}
