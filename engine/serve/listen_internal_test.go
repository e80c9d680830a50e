//go:build unix

package serve

import (
	"errors"
	"net"
	"strconv"
	"syscall"
	"testing"
)

// hosts are what an address of a port can say, in each form.
var hosts = []string{"127.0.0.1", "localhost", "::1", "", "0.0.0.0", "::"}

// A port that is only tried lets nobody in.
func TestATriedPortIsClosed(t *testing.T) {
	for _, host := range hosts {
		l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			continue // this machine has no such address
		}
		port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
		address := net.JoinHostPort(host, port)
		if _, err := bindable(address); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("%s is taken: %v", address, err)
		}
		_ = l.Close()
		over, let := make(chan struct{}), make(chan int)
		go func() {
			n := 0
			for {
				select {
				case <-over:
					let <- n
					return
				default:
				}
				c, err := net.Dial("tcp", net.JoinHostPort("localhost", port))
				if err != nil {
					continue
				}
				if c.LocalAddr().String() != c.RemoteAddr().String() { // not one with itself
					n++
				}
				_ = c.Close()
			}
		}()
		for range 1000 {
			at, err := bindable(address)
			if err != nil || strconv.Itoa(at.(*net.TCPAddr).Port) != port {
				t.Errorf("%s is free: %v, %v", address, at, err)
				break
			}
		}
		close(over)
		if n := <-let; n > 0 {
			t.Errorf("%s let %d clients in", address, n)
		}
		if l, err = net.Listen("tcp", address); err != nil {
			t.Errorf("what was tried cannot be opened: %v", err)
			continue
		}
		_ = l.Close()
	}
}
