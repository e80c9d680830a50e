package unblocking

import (
	"io"
	"os"
	"runtime"
	"syscall"
)

// Reader reads from a socket, for one goroutine at a time.
type Reader struct {
	Spin // of the next read; a read ends it

	raw   syscall.RawConn
	bytes []byte
	count int
	err   error
	take  func(fd uintptr) bool // takes, as a value that is made once
	turns int                   // how many times in a row it found bytes without sleeping
}

// mostTurns is how many times in a row a reader finds bytes before other goroutines have their turn. Go's scheduler knows nothing of
// its calls, and would let them wait for a tenth of a second and longer.
const mostTurns = 8

// NewReader returns what reads from a connection.
func NewReader(raw syscall.RawConn) *Reader {
	r := &Reader{raw: raw}
	r.take = r.takes
	return r
}

// Read implements io.Reader. It waits while the socket has nothing.
func (r *Reader) Read(p []byte) (int, error) {
	if r.turns++; r.turns > mostTurns {
		r.turns = 0
		runtime.Gosched()
	}
	r.bytes, r.count, r.err = p, 0, nil
	err := r.raw.Read(r.take)
	if err == nil {
		err = r.err
	}
	r.bytes = nil
	r.End()
	return r.count, err
}

// takes reads once. It returns false when nothing has come.
func (r *Reader) takes(fd uintptr) bool {
	for {
		n, err := Read(fd, r.bytes)
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN:
			if r.Again() {
				continue
			}
			r.turns = 0
			return false
		case err != nil:
			r.err = os.NewSyscallError("read", err)
		case n == 0 && len(r.bytes) > 0:
			r.err = io.EOF
		default:
			r.count = n
		}
		return true
	}
}
