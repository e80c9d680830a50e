package rest

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"path"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Limits of what an answer may have, in bytes.
const (
	// MostFacts is that of all that has no tensors. A list of 100,000 models is about 10 MB.
	MostFacts   = 128 << 20
	mostTensors = math.MaxInt32
)

// Conn reaches one server.
type Conn struct {
	base   *url.URL
	client *http.Client
}

var _ grpc.ClientConnInterface = (*Conn)(nil)

// New prepares calls to the server at base, such as http://triton:8000. cfg is used for https only.
// connectFor limits one attempt to connect, and TLS with it.
func New(base *url.URL, cfg *tls.Config, connectFor time.Duration) *Conn {
	return &Conn{base, &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: cfg, ForceAttemptHTTP2: true,
			DialContext: (&net.Dialer{Timeout: connectFor}).DialContext, TLSHandshakeTimeout: connectFor,
			MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 1 << 20,
			DisableCompression: true, // tensors hardly shrink, and the length of their JSON is of the plain bytes
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return ErrRedirected },
	}}
}

// ErrRedirected keeps headers, which may be tokens, from being sent elsewhere.
var ErrRedirected = errors.New("it redirects to another address; name that one")

// Close lets idle connections go.
func (c *Conn) Close() error {
	c.client.CloseIdleConnections()
	return nil
}

// ResetConnectBackoff does nothing: each call connects again where it has to.
func (c *Conn) ResetConnectBackoff() {}

// NewStream fails: HTTP has no stream of requests.
func (c *Conn) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, status.Error(codes.Unimplemented, "this server is shown over HTTP, and a decoupled model answers over gRPC alone. Name the server's gRPC port in its address: grpc://host:port")
}

// Invoke calls a method of KServe's gRPC service.
func (c *Conn) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	call, known := calls[path.Base(method)]
	if !known {
		return status.Errorf(codes.Unimplemented, "%s cannot be asked over HTTP", path.Base(method))
	}
	sent, err := call.write(args)
	if err != nil {
		return err
	}
	got, err := c.send(ctx, call, sent)
	if err != nil {
		return err
	}
	for _, opt := range opts {
		if h, ok := opt.(grpc.HeaderCallOption); ok {
			*h.HeaderAddr = metadata.MD{"status": {got.status}} // it has answered
		}
	}
	if err := got.failure(); err != nil && !call.told {
		return err
	}
	if err := call.read(got, reply); err != nil {
		return status.Errorf(codes.Internal, "the answer to %s %s is not what Triton answers: %v", call.verb, sent.path, err)
	}
	return nil
}

// sent is what a call sends: a path below the base, and the parts of a body.
type sent struct {
	path   string
	body   [][]byte
	header int  // the bytes of JSON before the tensors; 0 for no tensors
	model  bool // it is about one model
}

// got is what came back.
type got struct {
	code   int
	status string
	header http.Header
	body   []byte
	sent   sent
	verb   string
}

func (c *Conn) send(ctx context.Context, call call, sent sent) (got, error) {
	request, err := http.NewRequestWithContext(ctx, call.verb, c.base.JoinPath("/").String()+sent.path, nil)
	if err != nil {
		return got{}, status.Error(codes.InvalidArgument, err.Error())
	}
	setBody(request, sent)
	md, _ := metadata.FromOutgoingContext(ctx)
	for name, values := range md {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	answer, err := c.client.Do(request)
	if err != nil {
		return got{}, unreached(ctx, err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := readAll(answer, call.most)
	if err != nil {
		return got{}, unreached(ctx, err)
	}
	return got{answer.StatusCode, answer.Status, answer.Header, body, sent, call.verb}, nil
}

func setBody(request *http.Request, sent sent) {
	if len(sent.body) == 0 {
		return
	}
	total := 0
	for _, part := range sent.body {
		total += len(part)
	}
	request.ContentLength = int64(total)
	request.GetBody = func() (io.ReadCloser, error) {
		parts := make([]io.Reader, len(sent.body))
		for i, part := range sent.body {
			parts[i] = bytes.NewReader(part)
		}
		return io.NopCloser(io.MultiReader(parts...)), nil
	}
	request.Body, _ = request.GetBody()
	request.Header.Set("Content-Type", "application/json")
	if sent.header > 0 {
		request.Header.Set("Content-Type", "application/octet-stream")
		request.Header.Set(headerLength, fmt.Sprint(sent.header))
	}
}

// errLong is the error of an answer that is too long to be meant.
var errLong = errors.New("the answer is too long")

func readAll(answer *http.Response, most int64) ([]byte, error) {
	if answer.ContentLength > most {
		return nil, fmt.Errorf("%w: %d MiB, where %d are the most", errLong, answer.ContentLength>>20, most>>20)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	if err == nil && int64(len(body)) > most {
		return nil, fmt.Errorf("%w: more than %d MiB", errLong, most>>20)
	}
	return body, err
}
