package serve

import (
	"crypto/tls"
	"fmt"
	"log/slog"

	"conch/engine/certificate"
	"conch/engine/option"
)

// secure returns the TLS setting of a port; nil for a port without TLS. protocol begins the names of the flags.
func secure(protocol string, o option.TLS, log *slog.Logger, alpn string) (*tls.Config, error) {
	flag := "--" + protocol + "-"
	if !o.Use && !o.Mutual {
		if o.Cert != "" || o.Key != "" || o.Root != "" {
			log.Warn(flag + "server-cert, -key and -root-cert do nothing without " + flag + "use-ssl: the port has no TLS")
		}
		return nil, nil
	}
	if o.Cert == "" || o.Key == "" {
		return nil, fmt.Errorf("%suse-ssl needs %sserver-cert and %sserver-key", flag, flag, flag)
	}
	files := certificate.Files{Cert: o.Cert, Key: o.Key}
	if o.Mutual {
		if o.Root == "" {
			return nil, fmt.Errorf("%suse-ssl-mutual needs %sroot-cert: the certificates that sign those of clients", flag, flag)
		}
		files.Root = o.Root
	}
	keeper, err := certificate.Open(files, log, alpn)
	if err != nil {
		return nil, fmt.Errorf("%suse-ssl: %w", flag, err)
	}
	return keeper.Config(), nil
}
