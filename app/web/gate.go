package web

import (
	"cmp"
	"net"
	"strconv"

	"conch/engine/origin"
)

// gate knows the names of this server.
type gate struct {
	hosts map[string]bool // the allowed values of a Host header
	// anyAddress allows every IP address, because the server listens on all of them. A name that is
	// rebound is not an IP address.
	anyAddress bool
	port       string
}

func newGate(addr net.Addr) *gate {
	g := &gate{hosts: map[string]bool{}}
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return g
	}
	g.port = strconv.Itoa(tcp.Port)
	g.anyAddress = tcp.IP.IsUnspecified()
	for _, host := range []string{"127.0.0.1", "::1", tcp.IP.String()} {
		g.hosts[host] = true
	}
	return g
}

// admitsHost reports whether a Host header names this server.
func (g *gate) admitsHost(header string) bool {
	host, port := origin.SplitHost(header)
	if cmp.Or(port, "80") != g.port {
		return false
	}
	return g.hosts[host] || origin.IsMachine(host) || g.anyAddress && origin.IsAddress(host)
}
