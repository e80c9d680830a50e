package serve

import (
	"math"
	"net"
	"syscall"
	"time"
)

// openFiles is how many files this process may have open; 0 when the system does not tell. Go raises the limit as far as it
// may when a program starts.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, math.MaxInt32))
}

// tcpUserTimeout is TCP_USER_TIMEOUT, which the package syscall lacks.
const tcpUserTimeout = 0x12

// unread is how long a client may leave what was sent to it unread, when there is more than its connection holds.
const unread = time.Minute

// letGo has the system end a connection whose client reads nothing any more.
func letGo(c net.Conn) {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { // where it is not known, such a connection stays
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(unread.Milliseconds()))
	})
}
