package origin

import (
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
)

// SplitHost splits a Host header into a name in lower case and a port, "" where there is none.
func SplitHost(header string) (host, port string) {
	host, port, err := net.SplitHostPort(header)
	if err != nil {
		host, port = strings.Trim(header, "[]"), ""
	}
	return strings.TrimSuffix(strings.ToLower(host), "."), port
}

// IsAddress reports whether a host is an IP address. A page cannot have such a name point to another machine.
func IsAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// IsMachine reports whether a host is a name of this machine: localhost or a name below it, which browsers look for on this
// machine alone (RFC 6761), or the name that the system has for itself, with its domain or without. No standard keeps that
// last name to this machine: where no file of the system gives its address, the local DNS server answers for it.
func IsMachine(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	name := machineName()
	short, _, _ := strings.Cut(name, ".")
	return name != "" && (host == name || host == short)
}

var machineName = sync.OnceValue(func() string {
	name, err := os.Hostname()
	if err != nil {
		return "" // localhost and addresses remain
	}
	return strings.TrimSuffix(strings.ToLower(name), ".")
})
