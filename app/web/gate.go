package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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
	for _, host := range []string{"localhost", "127.0.0.1", "::1", tcp.IP.String()} {
		g.hosts[host] = true
	}
	return g
}

// admitsHost says whether a Host header names this server.
func (g *gate) admitsHost(header string) bool {
	host, port, err := net.SplitHostPort(header)
	if err != nil { // a port that is left out is 80
		host, port = strings.Trim(header, "[]"), "80"
	}
	if port != g.port {
		return false
	}
	return g.hosts[strings.ToLower(host)] || g.anyAddress && net.ParseIP(host) != nil
}

// admitsOrigin says whether the page that sends the request, if it is one, is ours.
func (g *gate) admitsOrigin(r *http.Request) bool {
	origins, sent := r.Header["Origin"]
	if !sent {
		return true // not a page of a browser, or its own address bar
	}
	u, err := url.Parse(origins[0])
	return err == nil && len(origins) == 1 && u.Scheme == "http" && strings.EqualFold(u.Host, r.Host)
}

// admitsToken compares in a time that tells nothing.
func (g *gate) admitsToken(r *http.Request) bool {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(token))
	return ok && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}
