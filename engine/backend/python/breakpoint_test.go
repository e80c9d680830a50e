package python_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"testing"

	"conch/engine/backend"
	"conch/engine/tensor"
)

// stopping is a model that stops at a breakpoint.
const stopping = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        given = pb_utils.get_input_tensor_by_name(request, "IN").as_numpy()
        return pb_utils.InferenceResponse([pb_utils.Tensor("OUT", given)])
`

// editor speaks to debugpy as editors do, by the Debug Adapter Protocol.
type editor struct {
	t    *testing.T
	conn net.Conn
	from *textproto.Reader
	last int
}

// said is a message of debugpy.
type said struct {
	Type, Event, Command, Message string
	RequestSeq                    int `json:"request_seq"`
	Success                       bool
}

func (e *editor) send(command string, arguments any) int {
	e.t.Helper()
	e.last++
	text, err := json.Marshal(map[string]any{"seq": e.last, "type": "request", "command": command, "arguments": arguments})
	if err == nil {
		_, err = fmt.Fprintf(e.conn, "Content-Length: %d\r\n\r\n%s", len(text), text)
	}
	if err != nil {
		e.t.Fatal(err)
	}
	return e.last
}

// until reads messages until one is as wanted.
func (e *editor) until(wanted func(said) bool) {
	e.t.Helper()
	for {
		head, err := e.from.ReadMIMEHeader()
		if err != nil {
			e.t.Fatal(err)
		}
		size, _ := strconv.Atoi(head.Get("Content-Length"))
		text := make([]byte, size)
		if _, err := io.ReadFull(e.from.R, text); err != nil {
			e.t.Fatal(err)
		}
		var m said
		if err := json.Unmarshal(text, &m); err != nil {
			e.t.Fatal(err)
		}
		if m.Type == "response" && !m.Success {
			e.t.Fatalf("%s: %s", m.Command, m.Message)
		}
		if wanted(m) {
			return
		}
	}
}

func (e *editor) event(name string) {
	e.t.Helper()
	e.until(func(m said) bool { return m.Type == "event" && m.Event == name })
}

func (e *editor) ask(command string, arguments any) {
	e.t.Helper()
	number := e.send(command, arguments)
	e.until(func(m said) bool { return m.Type == "response" && m.RequestSeq == number })
}

// attach sets a breakpoint at a line of a file.
func attach(t *testing.T, address, file string, line int) *editor {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	e := &editor{t: t, conn: conn, from: textproto.NewReader(bufio.NewReader(conn))}
	e.ask("initialize", map[string]any{"adapterID": "debugpy", "pathFormat": "path"})
	e.send("attach", map[string]any{"justMyCode": true})
	e.event("initialized")
	e.ask("setBreakpoints", map[string]any{"source": map[string]any{"path": file}, "breakpoints": []any{map[string]any{"line": line}}})
	e.ask("configurationDone", nil)
	return e
}

// A request that is interrupted at a breakpoint ends by KeyboardInterrupt, and the next ones stop there again.
func TestBreakpointAfterAnInterruption(t *testing.T) {
	spec := specOf(t, stopping, flat(tensor.Bytes))
	in, _ := load(t, spec)
	address, err := in.(backend.Debuggable).Debug(t.Context())
	if err != nil && strings.Contains(err.Error(), "has no debugpy") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(stopping, "given = ")
	e := attach(t, address, spec.File, strings.Count(before, "\n")+1)
	ended := make(chan error)
	ask := func() {
		_, err := run(t, in, text("x"))
		ended <- err
	}
	for range 3 {
		go ask()
		e.event("stopped")
		if how, err := in.(backend.Inspectable).Break(t.Context()); err != nil || how != "Its execution ended by KeyboardInterrupt." {
			t.Fatalf("interrupted: %q, %v", how, err)
		}
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "KeyboardInterrupt: the request was interrupted") {
			t.Fatalf("the request: %v", err)
		}
	}
	go ask()
	e.event("stopped")
	e.ask("continue", map[string]any{"threadId": 1})
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
