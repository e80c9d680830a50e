package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/build/golden/exchange"
)

// timeout is the header with which a client of gRPC tells its deadline, as in "200m". A case that writes it among the
// metadata waits for what the server says then; libraries of gRPC answer themselves at the deadline.
const timeout = "grpc-timeout"

// beyondDeadline makes a call as HTTP/2 has it, and gives the status.
func beyondDeadline(ctx context.Context, address, call, within string, method protoreflect.MethodDescriptor, body string) (string, error) {
	framed, err := frame(method, body)
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+call, bytes.NewReader(framed))
	if err != nil {
		return "", fmt.Errorf("make a call: %w", err)
	}
	request.Header.Set("Content-Type", "application/grpc")
	request.Header.Set("Te", "trailers")
	request.Header.Set(timeout, within)
	plain := &http.Transport{Protocols: new(http.Protocols)}
	plain.Protocols.SetUnencryptedHTTP2(true)
	defer plain.CloseIdleConnections()
	reply, err := plain.RoundTrip(request)
	if err != nil {
		return ended(err)
	}
	defer func() { _ = reply.Body.Close() }()
	if _, err := io.Copy(io.Discard, reply.Body); err != nil {
		return ended(err)
	}
	told := reply.Trailer
	if told.Get("Grpc-Status") == "" { // the headers are the trailers of an answer without messages
		told = reply.Header
	}
	code, err := strconv.ParseUint(told.Get("Grpc-Status"), 10, 32)
	if err != nil {
		return "", fmt.Errorf("read the status of a call: %w", err)
	}
	return fmt.Sprintf("%s: %s\n", codes.Code(code), exchange.Escape([]byte(told.Get("Grpc-Message")))), nil
}

// ended tells how a stream ended that has no status.
func ended(err error) (string, error) {
	var reset http2.StreamError
	if errors.As(err, &reset) {
		return fmt.Sprintf("the stream is reset: %s\n", reset.Code), nil
	}
	return "", fmt.Errorf("make a call: %w", err)
}

// frame writes each line as a message of a call.
func frame(method protoreflect.MethodDescriptor, body string) ([]byte, error) {
	var framed []byte
	for line := range strings.Lines(body) {
		message, err := blank(method.Input())
		if err != nil {
			return nil, err
		}
		if err := protojson.Unmarshal([]byte(line), message); err != nil {
			return nil, fmt.Errorf("read the message %s: %w", line, err)
		}
		content, err := proto.Marshal(message)
		if err != nil {
			return nil, fmt.Errorf("write a message: %w", err)
		}
		framed = append(framed, 0)
		framed = binary.BigEndian.AppendUint32(framed, uint32(len(content)))
		framed = append(framed, content...)
	}
	return framed, nil
}
