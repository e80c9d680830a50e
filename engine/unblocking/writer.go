package unblocking

import (
	"os"
	"syscall"
)

// Writer writes to a socket, for one goroutine at a time.
type Writer struct {
	raw   syscall.RawConn
	bytes []byte
	count int // how much of bytes has gone
	err   error
	put   func(fd uintptr) bool // puts, as a value that is made once
}

// NewWriter returns what writes to a connection.
func NewWriter(raw syscall.RawConn) *Writer {
	w := &Writer{raw: raw}
	w.put = w.puts
	return w
}

// Write implements io.Writer. It waits while the socket takes nothing.
func (w *Writer) Write(p []byte) (int, error) {
	w.bytes, w.count, w.err = p, 0, nil
	err := w.raw.Write(w.put)
	if err == nil {
		err = w.err
	}
	w.bytes = nil
	return w.count, err
}

// puts writes what the socket takes. It returns false when the rest must wait.
func (w *Writer) puts(fd uintptr) bool {
	for w.count < len(w.bytes) {
		n, err := Write(fd, w.bytes[w.count:])
		switch {
		case err == nil:
			w.count += n
		case err == syscall.EAGAIN:
			return false
		case err != syscall.EINTR:
			w.err = os.NewSyscallError("write", err)
			return true
		}
	}
	return true
}
