package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
)

// httpClients keeps a connection for each request in flight. They speak HTTP/1.1 by themselves, because a client that
// shares the machine with what it measures must cost little: net/http's takes a good part of the processors, and asks for
// compressed answers besides.
type httpClients struct {
	address string
	model   string
	mu      sync.Mutex
	idle    []*httpClient
}

// httpClient is one kept connection.
type httpClient struct {
	net.Conn
	answer  *bufio.Reader
	request []byte
}

// call sends a request over a connection that nobody uses.
func (p *httpClients) call(ctx context.Context) error {
	c, err := p.take(ctx)
	if err != nil {
		return err
	}
	if err := c.exchange(); err != nil {
		return errors.Join(err, c.Close())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, c)
	return nil
}

func (p *httpClients) take(ctx context.Context) (*httpClient, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.idle) - 1; last >= 0 {
		c := p.idle[last]
		p.idle = p.idle[:last]
		return c, nil
	}
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, "tcp", p.address)
	if err != nil {
		return nil, err
	}
	return &httpClient{Conn: connection, answer: bufio.NewReader(connection), request: httpRequest(p.address, p.model)}, nil
}

func (p *httpClients) close() {
	for _, c := range p.idle {
		_ = c.Close()
	}
}

func httpRequest(address, model string) []byte {
	head := `{"inputs":[{"name":"INPUT0","shape":[1,16],"datatype":"INT32","parameters":{"binary_data_size":64}},` +
		`{"name":"INPUT1","shape":[1,16],"datatype":"INT32","parameters":{"binary_data_size":64}}],` +
		`"parameters":{"binary_data_output":true}}`
	body := append(append([]byte(head), vector()...), vector()...)
	return fmt.Appendf(nil, "POST /v2/models/%s/infer HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n"+
		"Inference-Header-Content-Length: %d\r\n\r\n%s", model, address, len(body), len(head), body)
}

// exchange sends the request and takes the whole answer in.
func (c *httpClient) exchange() error {
	if _, err := c.Write(c.request); err != nil {
		return err
	}
	status, err := c.answer.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 200 ")) {
		return fmt.Errorf("the model answered %q", status)
	}
	size, err := c.headers()
	if err != nil {
		return err
	}
	_, err = c.answer.Discard(size)
	return err
}

// headers reads up to the body and tells its size.
func (c *httpClient) headers() (size int, err error) {
	size = -1
	for {
		line, err := c.answer.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
		switch {
		case len(name) == 0 && size < 0:
			return 0, errors.New("the model answered without Content-Length")
		case len(name) == 0:
			return size, nil
		case string(name) == "Content-Length":
			if size, err = strconv.Atoi(string(value)); err != nil {
				return 0, err
			}
		}
	}
}
