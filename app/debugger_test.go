//go:build unix

package app_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

// debugClient speaks the Debug Adapter Protocol.
type debugClient struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	seq  int
}

func dialDebugger(t *testing.T, address string) *debugClient {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	t.Cleanup(func() { _ = conn.Close() })
	return &debugClient{t: t, conn: conn, in: bufio.NewReader(conn)}
}

// message is a part of what the protocol carries.
type message struct {
	Type, Event, Command, Message string
	Success                       bool
	RequestSeq                    int `json:"request_seq"`
	Body                          json.RawMessage
}

// ask sends a request, and returns its number.
func (c *debugClient) ask(command string, arguments any) int {
	c.t.Helper()
	c.seq++
	text, err := json.Marshal(map[string]any{"seq": c.seq, "type": "request", "command": command, "arguments": arguments})
	if err == nil {
		_, err = fmt.Fprintf(c.conn, "Content-Length: %d\r\n\r\n%s", len(text), text)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return c.seq
}

// until reads until a message is the one that is waited for.
func (c *debugClient) until(is func(message) bool) message {
	c.t.Helper()
	for {
		head, err := textproto.NewReader(c.in).ReadMIMEHeader()
		if err != nil {
			c.t.Fatal(err)
		}
		length, _ := strconv.Atoi(head.Get("Content-Length"))
		text := make([]byte, length)
		if _, err := io.ReadFull(c.in, text); err != nil {
			c.t.Fatal(err)
		}
		var m message
		if err := json.Unmarshal(text, &m); err != nil {
			c.t.Fatal(err)
		}
		if m.Type == "response" && !m.Success {
			c.t.Fatalf("%s: %s", m.Command, m.Message)
		}
		if is(m) {
			return m
		}
	}
}

func (c *debugClient) event(name string) message {
	return c.until(func(m message) bool { return m.Type == "event" && m.Event == name })
}

func (c *debugClient) answer(seq int) message {
	return c.until(func(m message) bool { return m.Type == "response" && m.RequestSeq == seq })
}

// attach attaches, and sets a breakpoint.
func (c *debugClient) attach(file string, line int) {
	c.answer(c.ask("initialize", map[string]any{"clientID": "test", "adapterID": "debugpy", "linesStartAt1": true, "pathFormat": "path"}))
	attached := c.ask("attach", map[string]any{"justMyCode": true})
	c.event("initialized")
	c.answer(c.ask("setBreakpoints", map[string]any{"source": map[string]any{"path": file}, "breakpoints": []map[string]int{{"line": line}}}))
	c.ask("configurationDone", map[string]any{})
	c.answer(attached)
}

// requireDebugpy finds debugpy in the Python of the tests.
func requireDebugpy(t *testing.T) {
	t.Helper()
	python := os.Getenv("CONCH_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import debugpy").CombinedOutput(); err != nil {
		t.Fatalf("this test needs debugpy, which `make setup-test` installs: %v\n%s", err, out)
	}
}

// A debugger attaches to an instance, stops a request at a breakpoint, and lets it go on. Meanwhile the other instance serves.
// Nothing listens before it is asked to, nor after the model is loaded again.
func TestDebugger(t *testing.T) {
	apptest.UsePython(t)
	requireDebugpy(t)
	root := apptest.CopyExamples(t)
	helper := writeChecked(t, root, "2")
	apptest.Write(t, filepath.Join(root, "checked", "config.pbtxt"), checkedConfig+"instance_group [{ count: 2 }]\n")
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.trust(t, api.Access_TRUST_TRUSTED)
	w.Until(t, "it is ready", func(s *apptest.Snapshot) bool { return s.State("checked") == api.ModelState_MODEL_STATE_READY })
	workers := func() []*api.Worker {
		return apptest.Call(t, w.Models.ListWorkers, &api.ListWorkersRequest{Model: "checked"}).Workers
	}
	if before := workers(); len(before) != 2 || before[0].Debugger+before[1].Debugger != "" {
		t.Fatalf("before: %v", before)
	}
	got := apptest.Call(t, w.Models.Debug, &api.DebugRequest{Worker: workers()[0].Name})
	if host, port, err := net.SplitHostPort(got.Address); err != nil || host != "127.0.0.1" || !strings.Contains(got.Launch, `"port": `+port) {
		t.Fatalf("the address %q, the entry %s", got.Address, got.Launch)
	}
	if again := apptest.Call(t, w.Models.Debug, &api.DebugRequest{Worker: workers()[0].Name}); again.Address != got.Address || workers()[0].Debugger != got.Address {
		t.Errorf("asked again: %q, %v", again.Address, workers())
	}
	debugger := dialDebugger(t, got.Address)
	debugger.attach(helper, 8)

	stopped := make(chan message, 1)
	go func() { stopped <- debugger.event("stopped") }()
	ended := make(chan string, 100)
	asked := 0
	var at message
	for waiting := true; waiting; { // a request goes to any instance that is free
		asked++
		go func() {
			_, failure := askChecked(t, w.Window, "[[1, 2]]")
			ended <- failure
		}()
		select {
		case at = <-stopped:
			waiting = false
		case failure := <-ended:
			if asked--; failure != "" {
				t.Fatal(failure)
			}
		}
	}
	var body struct{ ThreadID int }
	if err := json.Unmarshal(at.Body, &body); err != nil {
		t.Fatal(err)
	}
	if _, failure := askChecked(t, w.Window, "[[1, 2]]"); failure != "" {
		t.Errorf("the other instance: %s", failure)
	}
	frames := debugger.answer(debugger.ask("stackTrace", map[string]any{"threadId": body.ThreadID}))
	if !strings.Contains(string(frames.Body), "answer") || !strings.Contains(string(frames.Body), "execute") {
		t.Errorf("the stack: %s", frames.Body)
	}
	debugger.answer(debugger.ask("setBreakpoints", map[string]any{"source": map[string]any{"path": helper}, "breakpoints": []int{}}))
	debugger.answer(debugger.ask("continue", map[string]any{"threadId": body.ThreadID}))
	for ; asked > 0; asked-- {
		if failure := <-ended; failure != "" {
			t.Errorf("the request that was stopped: %s", failure)
		}
	}
	apptest.Call(t, w.Models.Load, &api.LoadRequest{Name: "checked", Force: true})
	for conn, err := net.Dial("tcp", got.Address); err == nil; conn, err = net.Dial("tcp", got.Address) {
		_ = conn.Close() // until the processes before have ended
	}
	for _, worker := range workers() {
		if worker.Debugger != "" {
			t.Errorf("after the model was loaded again: %v", worker)
		}
	}
}
