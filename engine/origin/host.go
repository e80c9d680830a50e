package origin

import (
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
)

// SplitHost splits a Host header into a name in lower case and a port; "" for no port.
func SplitHost(header string) (host, port string) {
	host, port, err := net.SplitHostPort(header)
	if err != nil {
		host, port = strings.Trim(header, "[]"), ""
	}
	return strings.TrimSuffix(strings.ToLower(host), "."), port
}

// IsAddress reports whether a host is an IP address. No page can make such a name point to another machine.
func IsAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// IsMachine reports whether a host is a name of this machine. These are localhost and the names below it, which
// browsers never look up elsewhere (RFC 6761), and the host's name, with or without its domain. No standard
// reserves the host's name for this machine: if no line of /etc/hosts has it, the local DNS server decides.
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
		return "" // then only localhost and addresses count
	}
	return strings.TrimSuffix(strings.ToLower(name), ".")
})
