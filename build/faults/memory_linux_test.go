package faults_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/engine/backend/onnx/onnxtest"
)

const (
	megabytes = 1 << 20
	// memoryLimit is what the server may hold of requests and answers, and mostMemory what it may take in all: the same again
	// for what waits to be collected, the answers that ONNX Runtime has in hand, and the program itself.
	memoryLimit = 256 * megabytes
	mostMemory  = 800 * megabytes
	// calmMemory is what it may have a few seconds after.
	calmMemory = 300 * megabytes
)

// TestMemory throws at the server what took gigabytes: bodies that inflate, many large ones at a time, such that do not
// come to an end. Its memory stays bounded, everybody is
// answered, requests of others are served, and the memory is the system's again a few seconds later.
func TestMemory(t *testing.T) {
	f := begin(t)
	m := &memory{fault: f, t: t}
	m.start(t)
	for range f.rounds(1) {
		m.through("30 compressed bodies of 62 KB", m.bombs)
		m.through("20 JSON bodies of 63 MB", m.documents)
		m.through("10 half-sent binary bodies of 280 MB", m.halves)
	}
}

type memory struct {
	*fault
	t      *testing.T
	server *server
	http   string
}

func (m *memory) start(t *testing.T) {
	repository := t.TempDir()
	write(t, repository, "add/1/model.onnx", adder(3))
	web, port := freePort(t), freePort(t)
	m.http = "127.0.0.1:" + web
	cmd := exec.Command(program, "serve", "--model-repository="+repository, "--http-port="+web, "--grpc-port="+port,
		"--allow-metrics=false", "--request-memory-limit="+strconv.Itoa(memoryLimit))
	cmd.Env = append(os.Environ(), "CONCH_DATA_DIR="+t.TempDir(), "CONCH_ONNXRUNTIME="+onnxtest.Library(t))
	m.server = start(t, repository, cmd, port)
}

// through throws one thing, and looks at the memory meanwhile and after.
func (m *memory) through(what string, throw func(ctx context.Context) string) {
	if m.t.Failed() {
		return
	}
	m.t.Helper()
	if err := os.WriteFile(m.proc("clear_refs"), []byte("5"), 0); err != nil { // the peak begins anew
		m.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Minute)
	defer cancel()
	told := throw(ctx)
	if n, err := m.server.add(ctx, "add", 5); err != nil || n != 3 {
		m.lose("a request after %s: %d, %v", what, n, err)
	}
	peak := m.status("VmHWM")
	m.throw(what, 1)
	m.note("%s: %d MB at most; %s", what, peak/megabytes, told)
	if peak > mostMemory {
		m.lose("%s took %d MB, at most %d may be", what, peak/megabytes, mostMemory/megabytes)
	}
	m.calms(what)
}

// calms waits until the memory has gone back.
func (m *memory) calms(what string) {
	began := time.Now()
	for m.status("VmRSS") > calmMemory {
		if time.Since(began) > 15*time.Second {
			m.lose("%s: %d MB are still held", what, m.status("VmRSS")/megabytes)
			return
		}
		<-time.After(50 * time.Millisecond)
	}
}

func (m *memory) proc(file string) string {
	return fmt.Sprintf("/proc/%d/%s", m.server.cmd.Process.Pid, file)
}

// status is a line of the process's status, in bytes.
func (m *memory) status(key string) int64 {
	text, err := os.ReadFile(m.proc("status"))
	if err != nil {
		m.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			if err != nil {
				m.t.Fatal(err)
			}
			return n << 10
		}
	}
	m.t.Fatalf("no %s", key)
	return 0
}

// together has n clients do the same, and gives how each kind of answer came how often.
func together(n int, do func() string) string {
	var (
		mu    sync.Mutex
		all   sync.WaitGroup
		kinds = map[string]int{}
	)
	for range n {
		all.Go(func() {
			kind := do()
			mu.Lock()
			defer mu.Unlock()
			kinds[kind]++
		})
	}
	all.Wait()
	return fmt.Sprint(kinds)
}

// post sends a body and gives the status.
func (m *memory) post(ctx context.Context, body io.Reader, headers ...string) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+m.http+"/v2/models/add/infer", body)
	if err != nil {
		return err.Error()
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "no answer"
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return "no whole answer"
	}
	if answer.StatusCode == http.StatusServiceUnavailable && !strings.Contains(string(text), "--request-memory-limit") {
		m.lose("the way out: %s", text)
	}
	return strconv.Itoa(answer.StatusCode)
}

func (m *memory) bombs(ctx context.Context) string {
	var bomb bytes.Buffer
	w, err := gzip.NewWriterLevel(&bomb, gzip.BestCompression)
	if err != nil {
		m.t.Fatal(err)
	}
	_, _ = w.Write([]byte(`{"inputs":[`)) // a buffer never fails
	_, _ = w.Write(bytes.Repeat([]byte(" "), 63*megabytes))
	_ = w.Close()
	return together(30, func() string { return m.post(ctx, bytes.NewReader(bomb.Bytes()), "Content-Encoding", "gzip") })
}

func (m *memory) documents(ctx context.Context) string {
	body := []byte(`{"inputs":[{"name":"X","datatype":"INT32","shape":[1,1],"data":[` + strings.Repeat("1,", 31*megabytes) + `1]}]}`)
	return together(20, func() string { return m.post(ctx, bytes.NewReader(body)) })
}

// halves sends all but the end of some bodies, and waits until the server has taken in what it takes.
func (m *memory) halves(ctx context.Context) string {
	const size = 280 * megabytes
	part := make([]byte, megabytes)
	return together(10, func() string {
		c, err := net.Dial("tcp", m.http)
		if err != nil {
			return err.Error()
		}
		defer c.Close()
		deadline, _ := ctx.Deadline()
		_ = c.SetDeadline(deadline)
		fmt.Fprintf(c, "POST /v2/models/add/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nInference-Header-Content-Length: 10\r\n\r\n", size+1)
		for sent := 0; sent < size; sent += len(part) {
			if _, err := c.Write(part); err != nil {
				break
			}
		}
		_ = c.SetReadDeadline(time.Now().Add(time.Second)) // one that holds its half is not answered
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			return "held"
		}
		return strconv.Itoa(answer.StatusCode)
	})
}
