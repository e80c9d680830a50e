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

	in   taking
	take func(fd uintptr) bool // takes, as a value that is made once
	out  *unblocking.Writer    // where there is raw
}

// taking is what is being read.
type taking struct {
	bytes []byte
	count int
	err   error
}

func newConnection(c *net.UnixConn) *connection {
	k := &connection{UnixConn: c}
	k.take = k.takes
	k.raw = unblocking.Raw(c) // without it, the methods of UnixConn do
	if k.raw != nil {
		k.out = unblocking.NewWriter(k.raw)
	}
	return k
}

// Read implements io.Reader.
func (k *connection) Read(p []byte) (int, error) {
	if k.raw == nil {
		return k.UnixConn.Read(p)
	}
	k.in = taking{bytes: p}
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
	return k.out.Write(p)
}
