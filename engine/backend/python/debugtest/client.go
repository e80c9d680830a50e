// Package debugtest attaches to debugpy as editors do, by the Debug Adapter Protocol.
package debugtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// Client is one connection to a debugger. What goes wrong ends the test.
type Client struct {
	t    testing.TB
	conn net.Conn
	in   *textproto.Reader
	last int
}

// Message is a part of what the protocol carries.
type Message struct {
	Type, Event, Command, Message string
	Success                       bool
	RequestSeq                    int `json:"request_seq"`
	Body                          json.RawMessage
}

// Require ends the test where an interpreter has no debugpy.
func Require(t testing.TB, python string) {
	t.Helper()
	if out, err := exec.Command(python, "-c", "import debugpy").CombinedOutput(); err != nil {
		t.Fatalf("this test needs debugpy, which `make setup-test` installs: %v\n%s", err, out)
	}
}

// Attach connects to a debugger, and sets a breakpoint at a line of a file.
func Attach(t testing.TB, address, file string, line int) *Client {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	c := &Client{t: t, conn: conn, in: textproto.NewReader(bufio.NewReader(conn))}
	c.Ask("initialize", map[string]any{"clientID": "test", "adapterID": "debugpy", "linesStartAt1": true, "pathFormat": "path"})
	attached := c.send("attach", map[string]any{"justMyCode": true}) // which is answered only when all is set
	c.Event("initialized")
	c.Ask("setBreakpoints", map[string]any{"source": map[string]any{"path": file}, "breakpoints": []map[string]int{{"line": line}}})
	c.send("configurationDone", map[string]any{})
	c.answer(attached)
	return c
}

// Ask sends a request and returns its answer.
func (c *Client) Ask(command string, arguments any) Message {
	c.t.Helper()
	return c.answer(c.send(command, arguments))
}

// Frame is a place in the stack of a thread that stands.
type Frame struct {
	Name   string
	Line   int
	Source struct{ Path string }
}

// Frames returns the stack of a thread, innermost first, as an editor shows it.
func (c *Client) Frames(thread int) []Frame {
	c.t.Helper()
	var body struct{ StackFrames []Frame }
	if err := json.Unmarshal(c.Ask("stackTrace", map[string]any{"threadId": thread}).Body, &body); err != nil {
		c.t.Fatal(err)
	}
	return body.StackFrames
}

// Event waits for an event.
func (c *Client) Event(name string) Message {
	c.t.Helper()
	return c.until(func(m Message) bool { return m.Type == "event" && m.Event == name })
}

func (c *Client) answer(number int) Message {
	c.t.Helper()
	return c.until(func(m Message) bool { return m.Type == "response" && m.RequestSeq == number })
}

// send sends a request and returns its number.
func (c *Client) send(command string, arguments any) int {
	c.t.Helper()
	c.last++
	text, err := json.Marshal(map[string]any{"seq": c.last, "type": "request", "command": command, "arguments": arguments})
	if err == nil {
		_, err = fmt.Fprintf(c.conn, "Content-Length: %d\r\n\r\n%s", len(text), text)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return c.last
}

// until reads messages until one is as wanted. A request that fails ends the test.
func (c *Client) until(wanted func(Message) bool) Message {
	c.t.Helper()
	for {
		head, err := c.in.ReadMIMEHeader()
		if err != nil {
			c.t.Fatal(err)
		}
		length, _ := strconv.Atoi(head.Get("Content-Length"))
		text := make([]byte, length)
		if _, err := io.ReadFull(c.in.R, text); err != nil {
			c.t.Fatal(err)
		}
		var m Message
		if err := json.Unmarshal(text, &m); err != nil {
			c.t.Fatal(err)
		}
		if m.Type == "response" && !m.Success {
			c.t.Fatalf("%s: %s", m.Command, m.Message)
		}
		if wanted(m) {
			return m
		}
	}
}
