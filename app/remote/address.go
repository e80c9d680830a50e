package remote

import (
	"cmp"
	"errors"
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
	// Address is grpc://host:port or http://host:port; grpcs and https are the same with TLS. Without a
	// scheme it is grpc. HTTP may have a path before that of the protocol.
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

// usualPorts has Triton's usual port of each scheme. It has no TLS on its HTTP port, so https is a proxy's.
// They are asked for when they are needed, since reading all options takes some milliseconds of each start.
var usualPorts = sync.OnceValue(func() map[string]string {
	usual := option.Default()
	grpc := strconv.Itoa(usual.GRPCPort)
	return map[string]string{"grpc": grpc, "grpcs": grpc, "http": strconv.Itoa(usual.HTTPPort), "https": "443", metricsScheme: strconv.Itoa(usual.MetricsPort)}
})

// metricsScheme stands for the port of the metrics among the usual ports. No address has it.
const metricsScheme = ""

// address is where a server is.
type address struct{ scheme, host, port, path string }

// secure reports whether calls are encrypted.
func (a address) secure() bool { return a.scheme == "grpcs" || a.scheme == "https" }

// isHTTP reports which of the two roads is taken.
func (a address) isHTTP() bool { return a.scheme == "http" || a.scheme == "https" }

func (a address) hostPort() string { return net.JoinHostPort(a.host, a.port) }

func (a address) String() string { return a.scheme + "://" + a.hostPort() + a.path }

// Check says what is wrong with the options; nil where they can be used. It reads no file and calls nobody.
func (o Options) Check() error {
	at, err := o.address()
	if err != nil {
		return err
	}
	if (o.CertFile == "") != (o.KeyFile == "") {
		return fmt.Errorf("a client certificate needs both files, the certificate and its key")
	}
	if !at.secure() && o.CAFile+o.CertFile != "" {
		return fmt.Errorf("certificates are used only with TLS: write the address as %ss://%s", at.scheme, at.hostPort())
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
	return at.String()
}

// Ports returns where clients reach a server: the road that its address does not name is expected at
// Triton's usual port of the same host.
func Ports(url string) (http, grpc string, secure bool) {
	at, err := Options{Address: url}.address()
	if err != nil {
		return "", "", false
	}
	if at.isHTTP() {
		return at.hostPort() + at.path, net.JoinHostPort(at.host, usualPorts()["grpc"]), at.secure()
	}
	return net.JoinHostPort(at.host, usualPorts()["http"]), at.hostPort(), at.secure()
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

// These keep passwords and tokens out of what is kept and shown in plain text.
var (
	errCredentials = errors.New("an address has no name and no password in it: send them in a header, such as authorization")
	errQuery       = errors.New("an address has nothing behind a ? or a #: send a token in a header, such as authorization")
)

func (o Options) address() (address, error) {
	text := strings.TrimSpace(o.Address)
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		scheme, rest = "grpc", text
	}
	at := address{scheme: strings.ToLower(scheme)}
	if strings.Contains(rest, "@") {
		return at, errCredentials // which are not shown
	}
	if strings.ContainsAny(rest, "?#") {
		return at, errQuery
	}
	usual, known := usualPorts()[at.scheme]
	if !known || at.scheme == metricsScheme {
		return at, fmt.Errorf("%s: the address of a server begins with grpc:// or http://, with TLS with grpcs:// or https://", text)
	}
	u, err := url.Parse("//" + strings.TrimRight(rest, "/"))
	if err != nil || u.Hostname() == "" || u.Path != "" && !at.isHTTP() {
		return at, fmt.Errorf("%q is no address of a server: it is grpc://host:port or http://host:port, with TLS grpcs:// or https://", text)
	}
	at.host, at.port, at.path = u.Hostname(), cmp.Or(u.Port(), usual), u.EscapedPath()
	return at, nil
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
		text = net.JoinHostPort(at.host, usualPorts()[metricsScheme])
	}
	switch {
	case strings.Contains(text, "@"):
		return nil, errCredentials
	case strings.ContainsAny(text, "?#"):
		return nil, errQuery
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
