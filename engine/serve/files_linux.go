package serve

import (
	"math"
	"net"
	"syscall"
	"time"
)

// openFiles returns how many files this process may have open; 0 when that is unknown. Go raises the limit to its
// maximum when a program starts.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, math.MaxInt32))
}

// tcpUserTimeout is TCP_USER_TIMEOUT; package syscall does not define it.
const tcpUserTimeout = 0x12

// unread is how long a client may not read an answer that is larger than its connection's buffers.
const unread = time.Minute

// letGo makes the system close a connection whose client stopped reading.
func letGo(c net.Conn) {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { // where the option is unknown, such a connection stays open
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(unread.Milliseconds()))
	})
}
