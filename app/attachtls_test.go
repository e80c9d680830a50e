//go:build unix

package app_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	. "conch/app/apptest"
)

// signer signs certificates.
type signer struct {
	about *x509.Certificate
	key   *ecdsa.PrivateKey
	file  string // what its certificates are checked with
}

// newSigner makes one.
func newSigner(t *testing.T) *signer {
	t.Helper()
	s := &signer{about: &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}}
	der, key := s.sign(t, s.about)
	s.key, s.file = key, filepath.Join(t.TempDir(), "ca.pem")
	writePEM(t, s.file, "CERTIFICATE", der)
	var err error
	if s.about, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return s
}

// sign signs a certificate with a new key; its own one where it has no key yet.
func (s *signer) sign(t *testing.T, about *x509.Certificate) ([]byte, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	by := s.key
	if by == nil {
		by = key
	}
	der, err := x509.CreateCertificate(rand.Reader, about, s.about, &key.PublicKey, by)
	if err != nil {
		t.Fatal(err)
	}
	return der, key
}

// leaf makes a certificate of this machine, for servers and clients, that lasts until then.
func (s *signer) leaf(t *testing.T, until time.Time) ([]byte, *ecdsa.PrivateKey) {
	t.Helper()
	return s.sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
}

func (s *signer) serverCertificate(t *testing.T, until time.Time) tls.Certificate {
	t.Helper()
	der, key := s.leaf(t, until)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// clientFiles makes the two files of a client's certificate.
func (s *signer) clientFiles(t *testing.T, until time.Time) (certificate, key string) {
	t.Helper()
	der, private := s.leaf(t, until)
	bytes, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "client.pem"), filepath.Join(dir, "key.pem")
	writePEM(t, certificate, "CERTIFICATE", der)
	writePEM(t, key, "PRIVATE KEY", bytes)
	return certificate, key
}

func writePEM(t *testing.T, file, kind string, bytes []byte) {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// secured makes links with TLS to both roads of a server, by scheme.
func secured(t *testing.T, p *Peer, cfg *tls.Config) map[string]string {
	t.Helper()
	links := map[string]string{}
	for scheme, road := range map[string]struct{ to, protocol string }{"grpcs": {p.GRPC, "h2"}, "https": {p.HTTP, "http/1.1"}} {
		one := cfg.Clone()
		one.NextProtos = []string{road.protocol}
		links[scheme] = scheme + "://" + Encrypted(t, road.to, one).Address
	}
	return links
}

// TestEncryptedServer: a server behind TLS is shown with the certificates that it is checked with, and
// refused without them, and when its own has expired.
func TestEncryptedServer(t *testing.T) {
	p := StartPeer(t, CopyExamples(t))
	ca := newSigner(t)
	good := secured(t, p, &tls.Config{Certificates: []tls.Certificate{ca.serverCertificate(t, time.Now().Add(time.Hour))}})
	expired := secured(t, p, &tls.Config{Certificates: []tls.Certificate{ca.serverCertificate(t, time.Now().Add(-time.Minute))}})
	for scheme, address := range good {
		w := OpenWith(t, app.Options{})
		server := &api.Server{Name: "secure", Address: address, Metrics: "none", CaFile: ca.file}
		Call(t, w.Servers.SaveServer, &api.SaveServerRequest{Server: server})
		Call(t, w.Servers.Attach, &api.AttachRequest{Name: "secure"})
		w.Until(t, "the server's models are shown", attached)
		refusedWith(t, w, &api.Server{Name: "n", Address: address, Metrics: "none"}, "certificate signed by unknown authority")
		refusedWith(t, w, &api.Server{Name: "n", Address: expired[scheme], Metrics: "none", CaFile: ca.file}, "certificate has expired")
	}
}

// TestClientCertificates: a server that asks for a client's certificate is shown with the right one, and
// says over both roads what is wrong with another.
func TestClientCertificates(t *testing.T) {
	p := StartPeer(t, CopyExamples(t))
	ca, other := newSigner(t), newSigner(t)
	known := x509.NewCertPool()
	known.AddCert(ca.about)
	links := secured(t, p, &tls.Config{
		Certificates: []tls.Certificate{ca.serverCertificate(t, time.Now().Add(time.Hour))}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: known,
	})
	late := time.Now().Add(time.Hour)
	right, rightKey := ca.clientFiles(t, late)
	wrong, wrongKey := other.clientFiles(t, late)
	old, oldKey := ca.clientFiles(t, time.Now().Add(-time.Minute))
	for _, address := range links {
		w := OpenWith(t, app.Options{})
		server := func(certificate, key string) *api.Server {
			return &api.Server{Name: "mutual", Address: address, Metrics: "none", CaFile: ca.file, CertFile: certificate, KeyFile: key}
		}
		Call(t, w.Servers.SaveServer, &api.SaveServerRequest{Server: server(right, rightKey)})
		Call(t, w.Servers.Attach, &api.AttachRequest{Name: "mutual"})
		w.Until(t, "the server's models are shown", attached)
		if r := Call(t, w.Try.Infer, Sum()); !r.Ok {
			t.Errorf("%s: the answer is %v", address, r)
		}
		refusedWith(t, w, server("", ""), "wants a client certificate, and none is named")
		refusedWith(t, w, server(wrong, wrongKey), "refuses the client certificate")
		refusedWith(t, w, server(old, oldKey), "has expired")
		refusedWith(t, w, server(right, wrongKey), "private key does not match public key")
		refusedWith(t, w, server(right, right+".none"), "no such file")
	}
}

// refusedWith asks for a server that cannot be used, and looks for words in the reason.
func refusedWith(t *testing.T, w *Window, server *api.Server, want string) {
	t.Helper()
	_, err := w.Servers.TestServer(t.Context(), connect.NewRequest(&api.TestServerRequest{Server: server}))
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", server.Address, err, want)
	}
}
