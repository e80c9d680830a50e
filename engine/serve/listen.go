package serve

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
)

// endpoint is a port to listen on.
type endpoint struct {
	name    string // "HTTP"
	flag    string // "--http-port"
	address string
	port    int
	anyPort bool
}

// checkPorts returns an error when two endpoints have the same port. The system would only say that
// the port is in use.
func checkPorts(list []endpoint) error {
	for i, b := range list {
		for _, a := range list[:i] {
			if a.name == "" || b.name == "" || a.port == 0 || a.port != b.port || a.address != b.address || b.anyPort {
				continue
			}
			return fmt.Errorf("%s and %s cannot both listen on port %d: choose another port with %s or %s",
				a.name, b.name, a.port, a.flag, b.flag)
		}
	}
	return nil
}

// listen opens the port. A port in use is reported with the process that uses it, or replaced by a
// free one.
func (e endpoint) listen() (net.Listener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(e.address, strconv.Itoa(e.port)))
	if err == nil {
		return l, nil
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("open port %d on %s for %s: %w", e.port, e.address, e.name, err)
	}
	if !e.anyPort {
		return nil, fmt.Errorf("port %d for %s is taken%s: end that program, choose another port with %s, or use a free port with --any-port",
			e.port, e.name, HeldBy(e.port), e.flag)
	}
	l, err = net.Listen("tcp", net.JoinHostPort(e.address, "0"))
	if err != nil {
		return nil, fmt.Errorf("find a free port on %s for %s: %w", e.address, e.name, err)
	}
	return l, nil
}

// HeldBy returns the process that listens on a port, as the end of a sentence: " by python3 (process 123)"; "" when
// it is unknown.
func HeldBy(port int) string {
	h, ok := holderOf(port)
	switch {
	case !ok:
		return ""
	case h.pid == 0:
		return " by a program of another user"
	}
	return fmt.Sprintf(" by %s (process %d)", h.program, h.pid)
}

// holder is the process that listens on a port; pid is 0 when it cannot be seen.
type holder struct {
	pid     int
	program string
}

// listenPrivately opens a unix socket that only this user can use. The socket of a dead process is
// replaced; the socket of a running process is not.
func listenPrivately(path string) (net.Listener, error) {
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		return nil, fmt.Errorf("private socket %s is in use by another engine", path)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("replace private socket: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("open private socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("protect private socket: %w", err)
	}
	return l, nil
}
