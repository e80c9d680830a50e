package remote

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// refusal returns a clearer error of a connection that the server ended. With TLS 1.3 a client hears that
// its certificate is refused only after it believes that it is connected, and is often told the end of
// the connection instead of the reason. So the reason is asked for in a connection that sends nothing.
func (o Options) refusal(ctx context.Context, err error) error {
	at, wrong := o.address()
	ended := strings.Contains(err.Error(), "EOF") || strings.Contains(err.Error(), "reset by peer") || strings.Contains(err.Error(), "broken pipe")
	if wrong != nil || !at.secure() || !ended || status.Code(err) != codes.Unavailable {
		return err
	}
	cfg, wrong := o.tlsConfig()
	if wrong != nil {
		return err
	}
	cfg.NextProtos = []string{"h2", "http/1.1"}
	ctx, cancel := context.WithTimeout(ctx, answerFor)
	defer cancel()
	conn, told := (&tls.Dialer{NetDialer: &net.Dialer{}, Config: cfg}).DialContext(ctx, "tcp", at.hostPort())
	if told == nil {
		_ = conn.SetReadDeadline(time.Now().Add(answerFor))
		_, told = conn.Read(make([]byte, 1))
		_ = conn.Close()
	}
	if told == nil || !strings.Contains(told.Error(), "remote error: tls:") {
		return err
	}
	return status.Error(codes.Unavailable, told.Error())
}
