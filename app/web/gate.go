package web

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strconv"
	"strings"

	"conch/engine/origin"
)

// gate decides who is let in.
type gate struct {
	hosts map[string]bool // as a Host header names this server
	// anyAddress lets every IP address be this server's: it listens on all of them. A name to rebind is no address.
	anyAddress bool
	port       string
	token      [sha256.Size]byte
}

func newGate(addr net.Addr, token string) *gate {
	g := &gate{hosts: map[string]bool{}, token: sha256.Sum256([]byte(token))}
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

// admitsHost says whether a Host header names this server.
func (g *gate) admitsHost(header string) bool {
	host, port := origin.SplitHost(header)
	if cmp.Or(port, "80") != g.port {
		return false
	}
	return g.hosts[host] || origin.IsMachine(host) || g.anyAddress && origin.IsAddress(host)
}

// admitsToken compares in a time that tells nothing.
func (g *gate) admitsToken(r *http.Request) bool {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(token))
	return ok && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}
