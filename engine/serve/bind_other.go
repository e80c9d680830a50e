//go:build !unix

package serve

import (
	"errors"
	"net"
)

func bind(uintptr, string, *net.TCPAddr) error { return errors.ErrUnsupported }
