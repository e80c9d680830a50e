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

// selfSigned makes a certificate of this machine, and the file to check it with.
func selfSigned(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// TestEncryptedServer: a server behind TLS is shown with the certificates that it is checked with, and
// refused without them.
func TestEncryptedServer(t *testing.T) {
	p := StartPeer(t, CopyExamples(t))
	certificate, file := selfSigned(t)
	link := Encrypted(t, p.GRPC, &tls.Config{Certificates: []tls.Certificate{certificate}})
	w := OpenWith(t, app.Options{})
	server := &api.Server{Name: "secure", Address: "grpcs://" + link.Address, Metrics: "none", CaFile: file}
	Call(t, w.Servers.SaveServer, &api.SaveServerRequest{Server: server})
	Call(t, w.Servers.Attach, &api.AttachRequest{Name: "secure"})
	w.Until(t, "the server's models are shown", attached)
	server.CaFile = ""
	if text := Refused(t, w.Servers.TestServer, &api.TestServerRequest{Server: server}, connect.CodeUnavailable); !strings.Contains(text, "certificate") {
		t.Errorf("without the certificate it says %q", text)
	}
}
