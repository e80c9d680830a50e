package python

import (
	"net"

	"conch/engine/unblocking"
)

// connection is a socket to a process, which one goroutine at a time reads and one writes.
type connection struct {
	*net.UnixConn
	in  *unblocking.Reader // nil where the methods of UnixConn are used
	out *unblocking.Writer // likewise
}

func newConnection(c *net.UnixConn) *connection {
	k := &connection{UnixConn: c}
	if raw := unblocking.Raw(c); raw != nil { // without it, the methods of UnixConn do
		k.in, k.out = unblocking.NewReader(raw), unblocking.NewWriter(raw)
	}
	return k
}

// Read implements io.Reader.
func (k *connection) Read(p []byte) (int, error) {
	if k.in == nil {
		return k.UnixConn.Read(p)
	}
	return k.in.Read(p)
}

// spin has the next read spin before it sleeps.
func (k *connection) spin() {
	if k.in != nil {
		k.in.Prepare()
	}
}

// Write implements io.Writer.
func (k *connection) Write(p []byte) (int, error) {
	if k.out == nil {
		return k.UnixConn.Write(p)
	}
	return k.out.Write(p)
}
