package shortcut

import (
	"io"
	"net"
	"runtime"
	"syscall"

	"conch/engine/unblocking"
)

// wire is where the bytes of a connection come from and go to.
type wire struct {
	net.Conn
	raw    syscall.RawConn // nil where a connection is read by its Read alone
	reader reader
	failed error // of the newest reading; nil when the reader has had enough
	// readable is readNow, as a value that is made once.
	readable func(fd uintptr) bool
	writer   *unblocking.Writer // where there is raw
	spin     unblocking.Spin
}

// reader takes what is read.
type reader interface {
	// room returns where the next bytes go. It is never empty.
	room() []byte
	// took is told how many have come. It returns false when it wants no more.
	took(n int) bool
	// others notes that the connection is read, and reports whether another one was read before.
	others() bool
	// alone reports whether no other connection has been read for a while.
	alone() bool
	// over notes that the connection has been served, and reports whether others should have the processor.
	over() bool
}

func (w *wire) init(c net.Conn, r reader) {
	w.Conn, w.reader = unblocking.Under(c), r
	w.readable = w.readNow
	w.raw = unblocking.Raw(c) // without it, Read does
	if w.raw != nil {
		w.writer = unblocking.NewWriter(w.raw)
	}
}

// read reads until the reader wants no more, or until the connection fails or its deadline passes. After each read that has
// emptied the socket, it waits for the system to tell of more. To read at once would be unfair: a client that is quick to send
// its next request would be served again and again, up to ten milliseconds, while others wait. Where no other
// has been read for a while, it spins.
//
// The end of a client may have come together with bytes that were read; nothing tells of it then. So the first
// deadline of a connection that rests should be short: the next call reads at once.
func (w *wire) read() error {
	if w.raw == nil {
		return w.readPlain()
	}
	w.failed = nil
	if err := w.raw.Read(w.readable); err != nil {
		return err
	}
	return w.failed
}

func (w *wire) readPlain() error {
	for {
		n, err := w.Conn.Read(w.reader.room())
		if n > 0 && !w.reader.took(n) {
			return nil
		}
		runtime.Gosched()
		if err != nil {
			return err
		}
	}
}

// readNow reads what has come. It returns false when more should be waited for.
func (w *wire) readNow(fd uintptr) bool {
	// Go puts all connections that have something into the queue of one processor, where they wait while the system runs another
	// program there. From the queue where this goroutine waits now, every processor takes the next. For a client that is alone
	// that would only wake another thread.
	if w.reader.others() {
		runtime.Gosched()
	}
	for {
		room := w.reader.room()
		n, err := unblocking.Read(fd, room)
		if err == syscall.EAGAIN && w.spin.Again() {
			continue
		}
		w.spin.End()
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return false
		case err != nil:
			w.failed = &net.OpError{Op: "read", Net: "tcp", Err: err}
			return true
		case n == 0:
			w.failed = io.EOF
			return true
		case !w.reader.took(n):
			return true
		case w.reader.alone() && w.spin.Prepare():
		case n < len(room):
			// The clients that have their answers, and the threads that wait for this processor, run now. Go's scheduler finds the next
			// goroutine without asking the system; without this they wait until the system's clock ticks.
			if w.reader.over() {
				unblocking.Yield()
			}
			return false
		}
	}
}

// Write implements io.Writer.
func (w *wire) Write(p []byte) (int, error) {
	if w.raw == nil {
		return w.Conn.Write(p)
	}
	return w.writer.Write(p)
}

// abort lets both sides know that the connection has ended, also while a handler runs: until it returns, the socket cannot be
// closed.
func (w *wire) abort() {
	if both, ok := w.Conn.(interface {
		CloseRead() error
		CloseWrite() error
	}); ok {
		_, _ = both.CloseRead(), both.CloseWrite()
	}
}
