package unblocking

import (
	"net"
	"syscall"
)

// Under returns the connection that another one is around, or that one itself.
func Under(c net.Conn) net.Conn {
	if around, ok := c.(interface{ NetConn() net.Conn }); ok {
		return around.NetConn()
	}
	return c
}

// Raw returns the socket of a connection; nil where it has none, or this system cannot read and write it so.
func Raw(c net.Conn) syscall.RawConn {
	socket, ok := Under(c).(syscall.Conn)
	if !ok || !Able {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}
