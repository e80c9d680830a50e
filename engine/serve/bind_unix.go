//go:build unix

package serve

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// bind gives a socket its address. An address with a zone is not supported.
func bind(fd uintptr, network string, at *net.TCPAddr) error {
	if at.Zone != "" {
		return errors.ErrUnsupported
	}
	ip := at.AddrPort().Addr()
	every := !ip.IsValid() || ip.IsUnspecified() // 0.0.0.0 as well: such a socket takes both families
	var to syscall.Sockaddr
	if network == "tcp4" {
		four := &syscall.SockaddrInet4{Port: at.Port}
		if !every {
			four.Addr = ip.Unmap().As4()
		}
		to = four
	} else {
		six := &syscall.SockaddrInet6{Port: at.Port}
		if !every {
			six.Addr = ip.As16()
		}
		to = six
	}
	return os.NewSyscallError("bind", syscall.Bind(int(fd), to))
}
