package serve

import (
	"context"
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
	l, err := net.Listen("tcp", e.hostPort())
	if e.yields(err) {
		if l, err = net.Listen("tcp", net.JoinHostPort(e.address, "0")); err != nil {
			return nil, fmt.Errorf("find a free port on %s for %s: %w", e.address, e.name, err)
		}
	}
	if err != nil {
		return nil, e.closed(err)
	}
	return l, nil
}

// try returns the address that listen would open, or its error.
func (e endpoint) try() (net.Addr, error) {
	at, err := bindable(e.hostPort())
	if e.yields(err) {
		at, err = bindable(net.JoinHostPort(e.address, "0"))
	}
	if err != nil {
		return nil, e.closed(err)
	}
	return at, nil
}

func (e endpoint) hostPort() string { return net.JoinHostPort(e.address, strconv.Itoa(e.port)) }

// yields reports whether the port is taken, and another one will do.
func (e endpoint) yields(err error) bool { return e.anyPort && errors.Is(err, syscall.EADDRINUSE) }

// closed is the error of a port that cannot be opened.
func (e endpoint) closed(err error) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("open port %d on %s for %s: %w", e.port, e.address, e.name, err)
	}
	return fmt.Errorf("port %d for %s is taken%s: end that program, choose another port with %s, or use a free port with --any-port",
		e.port, e.name, HeldBy(e.port), e.flag)
}

// errBound ends the opening of a port that was only to be bound.
var errBound = errors.New("bound")

// bindable returns the address that a listener would have, or the error of opening it. A listener that is closed again would let
// in who comes meanwhile, and then break the connection off; a socket that is only bound refuses.
func bindable(hostPort string) (at net.Addr, err error) {
	config := net.ListenConfig{Control: func(network, address string, c syscall.RawConn) error {
		local, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			return err
		}
		var bound error
		if err := c.Control(func(fd uintptr) { bound = bind(fd, network, local) }); err != nil || errors.Is(bound, errors.ErrUnsupported) {
			return err // it is opened, and closed again
		}
		if at = local; bound == nil {
			bound = errBound
		}
		return bound
	}}
	l, err := config.Listen(context.Background(), "tcp", hostPort)
	switch {
	case err == nil:
		at = l.Addr()
		return at, l.Close()
	case errors.Is(err, errBound):
		return at, nil
	}
	return nil, err
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
