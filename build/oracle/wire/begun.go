package wire

import (
	"context"
	"fmt"
	"strings"
)

// player plays the requests of one case.
type player struct {
	server Server
	begun  map[string]*begun
}

// begun is a request whose answer the case wants later.
type begun struct {
	leave  context.CancelFunc
	done   chan struct{}
	answer string
	err    error
}

// inBackground does what a case does with requests that it does not wait for at once:
//
//	begin NAME: REQUEST  sends it
//	end NAME             waits for its answer
//	leave NAME           closes its connection
//
// What a server has done with such a request so far, a case learns with "await".
func (p *player) inBackground(ctx context.Context, verb, rest string) (string, error) {
	name, request, sends := strings.Cut(strings.TrimSuffix(rest, "\n"), ": ")
	if verb == "begin" {
		if !sends || p.begun[name] != nil {
			return "", fmt.Errorf("%q is not NAME: REQUEST with a new name", rest)
		}
		p.begun[name] = p.begin(ctx, request+"\n")
		return "it is sent\n", nil
	}
	asked := p.begun[name]
	if asked == nil {
		return "", fmt.Errorf("no request %q was begun", name)
	}
	delete(p.begun, name)
	if verb == "leave" {
		asked.leave()
	}
	<-asked.done
	if verb == "leave" {
		return "its connection is closed\n", nil
	}
	return asked.answer, asked.err
}

func (p *player) begin(ctx context.Context, request string) *begun {
	ctx, leave := context.WithCancel(ctx)
	b := &begun{leave: leave, done: make(chan struct{})}
	go func() {
		defer close(b.done)
		defer leave()
		b.answer, b.err = once(ctx, p.server, request)
	}()
	return b
}

// close leaves the requests that the case did not wait for.
func (p *player) close() {
	for _, b := range p.begun {
		b.leave()
		<-b.done
	}
}
