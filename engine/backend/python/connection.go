package python

import (
	"io"
	"net"
	"os"
	"syscall"

	"conch/engine/unblocking"
)

// connection is a socket to a process, which one goroutine reads and one at a time writes.
type connection struct {
	*net.UnixConn
	raw syscall.RawConn // nil where the methods of UnixConn are used

	in, out   transfer
	take, put func(fd uintptr) bool // takes and puts, as values that are made once
}

// transfer is what is being read or written.
type transfer struct {
	bytes []byte
	count int
	err   error
}

func newConnection(c *net.UnixConn) *connection {
	k := &connection{UnixConn: c}
	k.take, k.put = k.takes, k.puts
	if unblocking.Able {
		k.raw, _ = c.SyscallConn() // without it, the methods of UnixConn do
	}
	return k
}

// Read implements io.Reader.
func (k *connection) Read(p []byte) (int, error) {
	if k.raw == nil {
		return k.UnixConn.Read(p)
	}
	k.in = transfer{bytes: p}
	if err := k.raw.Read(k.take); err != nil {
		return 0, err
	}
	return k.in.count, k.in.err
}

// takes reads what has come. It returns false when that is nothing.
func (k *connection) takes(fd uintptr) bool {
	for {
		n, err := unblocking.Read(fd, k.in.bytes)
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN:
			return false
		case err != nil:
			n, k.in.err = 0, os.NewSyscallError("read", err)
		case n == 0:
			k.in.err = io.EOF
		}
		k.in.count = n
		return true
	}
}

// Write implements io.Writer.
func (k *connection) Write(p []byte) (int, error) {
	if k.raw == nil {
		return k.UnixConn.Write(p)
	}
	k.out = transfer{bytes: p}
	err := k.raw.Write(k.put)
	if err == nil {
		err = k.out.err
	}
	k.out.bytes = nil
	return k.out.count, err
}

// puts writes what the socket takes. It returns false when the rest must wait.
func (k *connection) puts(fd uintptr) bool {
	for k.out.count < len(k.out.bytes) {
		n, err := unblocking.Write(fd, k.out.bytes[k.out.count:])
		switch {
		case err == nil:
			k.out.count += n
		case err == syscall.EAGAIN:
			return false
		case err != syscall.EINTR:
			k.out.err = os.NewSyscallError("write", err)
			return true
		}
	}
	return true
}
