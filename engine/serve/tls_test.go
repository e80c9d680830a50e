package serve_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"conch/engine/kserve/kservepb"
	"conch/engine/option"
	"conch/engine/serve"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	dir  string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	a.cert, a.key = a.sign(t, "authority", 1, nil)
	a.write(t, "root.pem", "CERTIFICATE", a.cert.Raw)
	return a
}

// sign makes a certificate; without a parent it signs itself.
func (a *authority) sign(t *testing.T, name string, serial int64, parent *authority) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: parent == nil, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	issuer, signer := template, key
	if parent != nil {
		issuer, signer = parent.cert, parent.key
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

func (a *authority) write(t *testing.T, file, kind string, raw []byte) string {
	t.Helper()
	path := filepath.Join(a.dir, file)
	if err := os.WriteFile(path+".new", pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return path
}

// issue writes a certificate and its key, and returns their paths.
func (a *authority) issue(t *testing.T, name string, serial int64) (cert, key string) {
	t.Helper()
	c, k := a.sign(t, name, serial, a)
	raw, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return a.write(t, name+".pem", "CERTIFICATE", c.Raw), a.write(t, name+".key", "EC PRIVATE KEY", raw)
}

// trust is the setting of a client that trusts the authority; with a name it shows that certificate.
func (a *authority) trust(t *testing.T, name string) *tls.Config {
	t.Helper()
	c := &tls.Config{RootCAs: x509.NewCertPool()}
	c.RootCAs.AddCert(a.cert)
	if name != "" {
		pair, err := tls.LoadX509KeyPair(filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+".key"))
		if err != nil {
			t.Fatal(err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c
}

// both asks both ports whether they are live. c is nil for plain connections.
func both(t *testing.T, http1, grpc1 string, c *tls.Config) (overHTTP, overGRPC error) {
	t.Helper()
	transport, scheme, creds := &http.Transport{TLSClientConfig: c}, "https", credentials.NewTLS(c)
	if c == nil {
		scheme, creds = "http", insecure.NewCredentials()
	}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Get(scheme + "://" + http1 + "/v2/health/live")
	if err == nil {
		answer.Body.Close()
		if overHTTP = nil; answer.StatusCode != http.StatusOK {
			overHTTP = io.ErrUnexpectedEOF
		}
	} else {
		overHTTP = err
	}
	connection, err := grpc.NewClient(grpc1, grpc.WithTransportCredentials(creds))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, overGRPC = kservepb.NewGRPCInferenceServiceClient(connection).ServerLive(ctx, &kservepb.ServerLiveRequest{})
	return overHTTP, overGRPC
}

func wantBoth(t *testing.T, p *process, c *tls.Config, served bool, what string) {
	t.Helper()
	at := p.addresses(t)
	overHTTP, overGRPC := both(t, at.HttpAddress, at.GrpcAddress, c)
	if (overHTTP == nil) != served || (overGRPC == nil) != served {
		t.Errorf("%s: HTTP %v, gRPC %v; want served %v", what, overHTTP, overGRPC, served)
	}
}

// With TLS a port serves clients that trust its certificate, and nobody without TLS.
func TestTLS(t *testing.T) {
	own, stranger := newAuthority(t), newAuthority(t)
	cert, key := own.issue(t, "server", 2)
	p := launch(t, func(f *serve.Flags) {
		f.HTTPTLS = option.TLS{Use: true, Cert: cert, Key: key}
		f.GRPCTLS = f.HTTPTLS
	}, map[string]string{"a": "one"})
	defer p.stop(t)
	wantBoth(t, p, own.trust(t, ""), true, "a client that trusts the server")
	wantBoth(t, p, stranger.trust(t, ""), false, "a client that trusts others")
	wantBoth(t, p, nil, false, "a client without TLS")
	old := own.trust(t, "")
	old.MaxVersion = tls.VersionTLS11
	wantBoth(t, p, old, false, "a client with TLS 1.1")
}

// With mutual TLS a port serves only clients with a certificate of its own authority.
func TestMutualTLS(t *testing.T) {
	own, stranger := newAuthority(t), newAuthority(t)
	cert, key := own.issue(t, "server", 2)
	own.issue(t, "client", 3)
	stranger.issue(t, "client", 4)
	p := launch(t, func(f *serve.Flags) {
		f.HTTPTLS = option.TLS{Mutual: true, Cert: cert, Key: key, Root: filepath.Join(own.dir, "root.pem")}
		f.GRPCTLS = f.HTTPTLS
	}, map[string]string{"a": "one"})
	defer p.stop(t)
	wantBoth(t, p, own.trust(t, "client"), true, "a client with a certificate")
	wantBoth(t, p, own.trust(t, ""), false, "a client without a certificate")
	forged := own.trust(t, "")
	forged.Certificates = stranger.trust(t, "client").Certificates
	wantBoth(t, p, forged, false, "a client with a certificate of another authority")
}

// A port takes new certificates for the next connection, and keeps the old ones while the files are not whole.
func TestCertificatesAreReadAgain(t *testing.T) {
	own := newAuthority(t)
	cert, key := own.issue(t, "server", 2)
	p := launch(t, func(f *serve.Flags) {
		f.HTTPTLS = option.TLS{Use: true, Cert: cert, Key: key}
		f.GRPCTLS = f.HTTPTLS
	}, map[string]string{"a": "one"})
	defer p.stop(t)
	serials := func() (list [2]int64) {
		for i, address := range []string{p.addresses(t).HttpAddress, p.addresses(t).GrpcAddress} {
			c, err := tls.Dial("tcp", address, &tls.Config{RootCAs: own.trust(t, "").RootCAs, NextProtos: []string{"h2", "http/1.1"}})
			if err != nil {
				t.Fatal(err)
			}
			list[i] = c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
			c.Close()
		}
		return list
	}
	if got := serials(); got != [2]int64{2, 2} {
		t.Fatalf("certificates %v", got)
	}
	own.issue(t, "server", 3)
	if got := serials(); got != [2]int64{3, 3} {
		t.Errorf("new certificates are not taken: %v", got)
	}
	if err := os.WriteFile(cert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := serials(); got != [2]int64{3, 3} {
		t.Errorf("a broken certificate is taken: %v", got)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	if got := serials(); got != [2]int64{3, 3} {
		t.Errorf("a missing key: %v", got)
	}
	own.issue(t, "server", 4)
	if got := serials(); got != [2]int64{4, 4} {
		t.Errorf("certificates that are whole again are not taken: %v", got)
	}
}

// A start that could not serve with TLS ends with the reason.
func TestCertificatesThatCannotBeUsed(t *testing.T) {
	own := newAuthority(t)
	cert, key := own.issue(t, "server", 2)
	_, other := own.issue(t, "other", 3)
	root := filepath.Join(own.dir, "root.pem")
	for want, o := range map[string]option.TLS{
		"needs --grpc-server-cert":        {Use: true},
		"needs --grpc-root-cert":          {Mutual: true, Cert: cert, Key: key},
		"no such file":                    {Use: true, Cert: cert + "x", Key: key},
		"private key does not match":      {Use: true, Cert: cert, Key: other},
		"has no certificate in PEM form":  {Mutual: true, Cert: cert, Key: key, Root: key},
		"root.pem.missing: no such file":  {Mutual: true, Cert: cert, Key: key, Root: root + ".missing"},
		"--grpc-use-ssl: the certificate": {Use: true, Cert: key, Key: key},
	} {
		f := flags("")
		f.GRPCTLS = o
		if err := runBriefly(t, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
}
