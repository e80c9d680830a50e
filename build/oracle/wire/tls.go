package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// certificates is the folder of the run that they are in.
const certificates = "certificates"

// The authorities, and whom they sign. Flags of cases name the files as WORK/certificates/server.crt and so on.
var signed = map[string][]string{"root": {"server", "client"}, "other": {"stranger"}}

// secured reads how a client uses TLS, which is a word before the call:
//
//	tls       without a certificate of its own
//	mutual    with one that the server's root certificate signs
//	stranger  with one that another authority signs
//	doubting  trusts another authority than the server's
//	old       speaks nothing newer than TLS 1.1
func (s Server) secured(call string) (string, credentials.TransportCredentials, error) {
	word, rest, ok := strings.Cut(call, " ")
	if !ok {
		return call, insecure.NewCredentials(), nil
	}
	config, own, trusted := &tls.Config{ServerName: "localhost"}, "", "root"
	switch word {
	case "tls":
	case "mutual":
		own = "client"
	case "stranger":
		own = "stranger"
	case "doubting":
		trusted = "other"
	case "old":
		config.MinVersion, config.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	default:
		return "", nil, fmt.Errorf("no client uses TLS as %q says", word)
	}
	root, err := os.ReadFile(filepath.Join(s.Work, certificates, trusted+".crt"))
	if err != nil {
		return "", nil, fmt.Errorf("read the root certificate: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	config.RootCAs.AppendCertsFromPEM(root)
	if own != "" {
		certificate, err := tls.LoadX509KeyPair(filepath.Join(s.Work, certificates, own+".crt"), filepath.Join(s.Work, certificates, own+".key"))
		if err != nil {
			return "", nil, fmt.Errorf("read the client's certificate: %w", err)
		}
		// Without this function, the client would keep back a certificate that the server does not ask for.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &certificate, nil }
	}
	return rest, credentials.NewTLS(config), nil
}

// makeCertificates writes certificates that are valid for an hour, and their keys.
func makeCertificates(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make the folder of certificates: %w", err)
	}
	for root, names := range signed {
		authority, err := newCertificate(root, nil)
		if err != nil {
			return err
		}
		failed := authority.write(folder)
		for _, name := range names {
			one, err := newCertificate(name, authority)
			if err == nil {
				err = one.write(folder)
			}
			failed = errors.Join(failed, err)
		}
		if failed != nil {
			return failed
		}
	}
	return nil
}

type certificate struct {
	*x509.Certificate
	name string
	key  *ecdsa.PrivateKey
}

// newCertificate makes a certificate that another one signs, or one that signs itself and others.
func newCertificate(name string, by *certificate) (*certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		BasicConstraintsValid: true, IsCA: by == nil,
	}
	if by == nil {
		form.KeyUsage = x509.KeyUsageCertSign
		by = &certificate{form, name, key}
	}
	content, err := x509.CreateCertificate(rand.Reader, form, by.Certificate, &key.PublicKey, by.key)
	if err != nil {
		return nil, fmt.Errorf("make the certificate %s: %w", name, err)
	}
	made, err := x509.ParseCertificate(content)
	return &certificate{made, name, key}, err
}

func (c *certificate) write(folder string) error {
	key, err := x509.MarshalPKCS8PrivateKey(c.key)
	if err != nil {
		return fmt.Errorf("write the key of %s: %w", c.name, err)
	}
	at := filepath.Join(folder, c.name)
	return errors.Join(
		os.WriteFile(at+".crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}), 0o644),
		os.WriteFile(at+".key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600),
	)
}
