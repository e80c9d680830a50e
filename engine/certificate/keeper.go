package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Files are the PEM files of a port.
type Files struct {
	Cert string // the server's certificate, then those between it and its root
	Key  string
	// Root has the certificates that sign those of clients. "" asks clients for none.
	Root string
}

// Keeper has the newest certificates.
type Keeper struct {
	files  Files
	log    *slog.Logger
	protos []string

	mu      sync.Mutex // guards what follows
	current *tls.Config
	seen    [3]state // of the files that current is made of
	failed  string   // the newest reason why current was not replaced; "" for none
}

// state tells whether a file has changed.
type state struct {
	info os.FileInfo // nil for no file
	// fresh is true when the file was changed so shortly before that another change may have left no trace in its time.
	fresh bool
}

// settled is how long after a change of a file the next one certainly has another time.
const settled = 2 * time.Second

// Open reads the files. protos are the protocols of the port by their names in TLS (ALPN).
func Open(files Files, log *slog.Logger, protos ...string) (*Keeper, error) {
	k := &Keeper{files: files, log: log, protos: protos}
	seen, config, err := k.read()
	if err != nil {
		return nil, err
	}
	k.seen, k.current = seen, config
	return k, nil
}

// Config returns a setting for tls.Server that takes the newest certificates for each connection.
func (k *Keeper) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: k.protos,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return k.newest(), nil },
	}
}

// newest returns the certificates of the files, or the ones before where the files are not whole.
func (k *Keeper) newest() *tls.Config {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.changed() {
		return k.current
	}
	seen, config, err := k.read()
	if err != nil {
		if reason := err.Error(); reason != k.failed {
			k.failed = reason
			k.log.Warn("the certificates have changed and cannot be used; those before stay in use", "error", reason)
		}
		return k.current
	}
	if k.failed != "" || differ(config, k.current) {
		k.log.Info("the certificates were read again", "file", k.files.Cert)
	}
	k.seen, k.current, k.failed = seen, config, ""
	return config
}

func differ(a, b *tls.Config) bool {
	return !a.Certificates[0].Leaf.Equal(b.Certificates[0].Leaf) || (a.ClientCAs != nil && !a.ClientCAs.Equal(b.ClientCAs))
}

func (k *Keeper) list() [3]string { return [3]string{k.files.Cert, k.files.Key, k.files.Root} }

func (k *Keeper) changed() bool {
	for i, name := range k.list() {
		was := k.seen[i]
		if name == "" {
			continue
		}
		now, err := os.Stat(name)
		if err != nil || was.fresh || !os.SameFile(now, was.info) || now.Size() != was.info.Size() || !now.ModTime().Equal(was.info.ModTime()) {
			return true
		}
	}
	return false
}

// read reads the files, and looks at their times before.
func (k *Keeper) read() (seen [3]state, _ *tls.Config, _ error) {
	for i, name := range k.list() {
		if name == "" {
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return seen, nil, err
		}
		seen[i] = state{info, time.Since(info.ModTime()) < settled}
	}
	pair, err := tls.LoadX509KeyPair(k.files.Cert, k.files.Key)
	if err != nil {
		return seen, nil, fmt.Errorf("the certificate %s with the key %s: %w", k.files.Cert, k.files.Key, err)
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: k.protos, Certificates: []tls.Certificate{pair}}
	if k.files.Root == "" {
		return seen, config, nil
	}
	text, err := os.ReadFile(k.files.Root)
	if err != nil {
		return seen, nil, err
	}
	config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !config.ClientCAs.AppendCertsFromPEM(text) {
		return seen, nil, fmt.Errorf("%s has no certificate in PEM form", k.files.Root)
	}
	return seen, config, nil
}
