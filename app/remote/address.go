package remote

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"conch/engine/option"
)

// Header is sent with each call, such as a bearer token.
type Header struct{ Name, Value string }

// Options say how a server is reached.
type Options struct {
	Name string
	// Address is grpc://host:port, or grpcs://host:port for TLS. Without a scheme it is grpc.
	Address string
	// Metrics is the host:port or URL of the server's metrics; "" for Triton's usual port on its host, and
	// NoMetrics for none.
	Metrics string
	// CAFile has the certificates (PEM) that the server's is checked with; "" for those of the system.
	CAFile string
	// CertFile and KeyFile are the certificate of this client; "" for none.
	CertFile, KeyFile string
	Headers           []Header
}

// NoMetrics says that a server has no metrics page.
const NoMetrics = "none"

// Triton's usual ports. They are asked for when they are needed, since reading all options takes some milliseconds of each start.
var usualPorts = sync.OnceValues(func() (grpc, metrics string) {
	usual := option.Default()
	return strconv.Itoa(usual.GRPCPort), strconv.Itoa(usual.MetricsPort)
})

func usualPort() string {
	port, _ := usualPorts()
	return port
}

func usualMetrics() string {
	_, port := usualPorts()
	return port
}

// address is where a server is.
type address struct {
	host, port string
	secure     bool
}

// Check says what is wrong with the options; nil where they can be used. It reads no file and calls nobody.
func (o Options) Check() error {
	at, err := o.address()
	if err != nil {
		return err
	}
	if (o.CertFile == "") != (o.KeyFile == "") {
		return fmt.Errorf("a client certificate needs both files, the certificate and its key")
	}
	if !at.secure && o.CAFile+o.CertFile != "" {
		return fmt.Errorf("certificates are used only with TLS: write the address as grpcs://%s", net.JoinHostPort(at.host, at.port))
	}
	for _, h := range o.Headers {
		if err := checkHeader(h); err != nil {
			return err
		}
	}
	_, err = o.metricsURL()
	return err
}

// checkHeader refuses what gRPC and HTTP would refuse, or what would change the call.
func checkHeader(h Header) error {
	name := strings.ToLower(h.Name)
	bad := func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_.", r) }
	switch {
	case name == "" || strings.ContainsFunc(name, bad):
		return fmt.Errorf("header %q: a name has letters, digits and hyphens only", h.Name)
	case strings.HasPrefix(name, "grpc-") || name == "te" || name == "content-type" || name == "host" || strings.HasSuffix(name, "-bin"):
		return fmt.Errorf("header %q is one of the protocol itself, and cannot be set", h.Name)
	case strings.ContainsFunc(h.Value, func(r rune) bool { return r < ' ' || r > '~' }):
		return fmt.Errorf("header %q: a value has printable ASCII characters only", h.Name)
	}
	return nil
}

// URL returns the address in full.
func (o Options) URL() string {
	at, err := o.address()
	if err != nil {
		return o.Address
	}
	return at.scheme() + net.JoinHostPort(at.host, at.port)
}

// Here reports whether the server is on this machine, by its address.
func (o Options) Here() bool {
	at, err := o.address()
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(at.host)
	return at.host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

func (a address) scheme() string {
	if a.secure {
		return "grpcs://"
	}
	return "grpc://"
}

func (o Options) address() (address, error) {
	text := strings.TrimSpace(o.Address)
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		scheme, rest = "grpc", text
	}
	at := address{secure: scheme == "grpcs"}
	switch scheme {
	case "grpc", "grpcs":
	case "http", "https":
		return at, fmt.Errorf("%s: Conch speaks gRPC to a server, not HTTP. Name its gRPC port, such as grpc://%s:%s", text, hostOf(rest), usualPort())
	default:
		return at, fmt.Errorf("%s: the address of a server begins with grpc:// or grpcs://", text)
	}
	rest = strings.TrimSuffix(rest, "/")
	u, err := url.Parse("//" + rest)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		return at, fmt.Errorf("%q is no address of a server: it is grpc://host:port, or grpcs://host:port for TLS", text)
	}
	at.host, at.port = u.Hostname(), u.Port()
	if at.port == "" {
		at.port = usualPort()
	}
	return at, nil
}

func hostOf(rest string) string {
	u, err := url.Parse("//" + rest)
	if err != nil || u.Hostname() == "" {
		return "host"
	}
	return u.Hostname()
}

// metricsURL returns where the server's metrics are; nil for nowhere.
func (o Options) metricsURL() (*url.URL, error) {
	text := strings.TrimSpace(o.Metrics)
	if text == NoMetrics {
		return nil, nil
	}
	if text == "" {
		at, err := o.address()
		if err != nil {
			return nil, err
		}
		text = net.JoinHostPort(at.host, usualMetrics())
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no address of metrics: it is host:port, a URL that begins with http:// or https://, or %q", o.Metrics, NoMetrics)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/metrics"
	}
	return u, nil
}
