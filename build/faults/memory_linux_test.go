package faults_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
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

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/kserve/kservepb"
)

const (
	megabytes = 1 << 20
	// memoryLimit is what the server may hold of requests and answers, and mostMemory what it may take in all: the same again
	// for what waits to be collected, the answers that ONNX Runtime has in hand, and the program itself.
	memoryLimit = 256 * megabytes
	mostMemory  = 700 * megabytes
	// calmMemory is what it may have a few seconds after.
	calmMemory = 300 * megabytes
	// widely is how many numbers the model "wide" answers with: 32 MB.
	widely = 8 << 20
	// emptyStrings are the elements of a BYTES tensor of 48 MB. ONNX Runtime makes 400 MB of strings of them, twice.
	emptyStrings = 12 << 20
)

// TestMemory throws at the server what took gigabytes: bodies that inflate, many large ones at a time, such that do not
// come to an end, answers that nobody reads, strings that take many times their bytes, and one that is larger than all may be. Its memory stays bounded, everybody is
// answered, requests of others are served, and the memory is the system's again a few seconds later.
func TestMemory(t *testing.T) {
	f := begin(t)
	m := &memory{fault: f, t: t}
	m.start(t)
	for range f.rounds(1) {
		m.through("30 compressed bodies of 62 KB", m.bombs)
		m.through("20 JSON bodies of 63 MB", m.documents)
		m.through("10 half-sent binary bodies of 280 MB", m.halves)
		m.through("two streams whose 200 answers nobody reads", m.unreadStreams)
		m.through("one gRPC message of 600 MB", m.message)
		m.through("4 times 12 million empty strings over HTTP, 4 times over gRPC", m.manyStrings)
		m.through("20 times a million empty strings", m.someStrings)
	}
}

func (m *memory) manyStrings(ctx context.Context) string {
	overHTTP := together(4, func() string { return m.echo(ctx, emptyStrings) })
	return overHTTP + together(4, func() string {
		c, done := m.client()
		defer done()
		_, err := c.ModelInfer(ctx, &kservepb.ModelInferRequest{
			ModelName: "echo", RawInputContents: [][]byte{make([]byte, 4*emptyStrings)},
			Inputs: []*kservepb.ModelInferRequest_InferInputTensor{{Name: "INPUT", Datatype: "BYTES", Shape: []int64{1, emptyStrings}}},
		})
		if err == nil || !strings.Contains(err.Error(), "--request-memory-limit") {
			m.lose("the way out: %v", err)
		}
		return "refused"
	})
}

// someStrings sends tensors of which some fit at a time; one alone always does.
func (m *memory) someStrings(ctx context.Context) string {
	told := together(20, func() string { return m.echo(ctx, megabytes) })
	if status := m.echo(ctx, megabytes); status != "200" {
		m.lose("a million strings alone: %s", status)
	}
	return told
}

// echo sends empty strings to a model that answers with its input, and gives the status.
func (m *memory) echo(ctx context.Context, elements int) string {
	head := fmt.Sprintf(`{"inputs":[{"name":"INPUT","datatype":"BYTES","shape":[1,%d],"parameters":{"binary_data_size":%d}}],`+
		`"parameters":{"binary_data_output":true}}`, elements, 4*elements)
	body := append([]byte(head), make([]byte, 4*elements)...)
	return m.post(ctx, "echo", bytes.NewReader(body), "Inference-Header-Content-Length", strconv.Itoa(len(head)))
}

type memory struct {
	*fault
	t          *testing.T
	server     *server
	http, grpc string
}

func (m *memory) start(t *testing.T) {
	repository := t.TempDir()
	write(t, repository, "add/1/model.onnx", adder(3))
	write(t, repository, "wide/1/model.onnx", wide())
	write(t, repository, "echo/1/model.onnx", onnxtest.Identity(onnxtest.String, 1, "n").Bytes())
	web, port := freePort(t), freePort(t)
	m.http, m.grpc = "127.0.0.1:"+web, "127.0.0.1:"+port
	cmd := exec.Command(program, "serve", "--model-repository="+repository, "--http-port="+web, "--grpc-port="+port,
		"--allow-metrics=false", "--request-memory-limit="+strconv.Itoa(memoryLimit))
	cmd.Env = append(os.Environ(), "CONCH_DATA_DIR="+t.TempDir(), "CONCH_ONNXRUNTIME="+onnxtest.Library(t))
	m.server = start(t, repository, cmd, port)
}

// wide is a model whose answer is much larger than its request.
func wide() []byte {
	shape := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 1), widely)
	return onnxtest.Model{
		Inputs:       []onnxtest.Value{{Name: "X", Type: onnxtest.Int32, Dims: onnxtest.Dims(1, 1)}},
		Outputs:      []onnxtest.Value{{Name: "Y", Type: onnxtest.Int32, Dims: onnxtest.Dims(1, widely)}},
		Initializers: []onnxtest.Initializer{{Name: "shape", Type: onnxtest.Int64, Dims: []int64{2}, Raw: shape}},
		Nodes:        []onnxtest.Node{{Op: "Expand", Inputs: []string{"X", "shape"}, Outputs: []string{"Y"}}},
	}.Bytes()
}

// through throws one thing, and looks at the memory meanwhile and after.
func (m *memory) through(what string, throw func(ctx context.Context) string) {
	if m.t.Failed() {
		return
	}
	m.t.Helper()
	if err := os.WriteFile(m.proc("clear_refs"), []byte("5"), 0); err != nil { // the peak begins again
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
	m.note("%s: %d MB after %s", what, m.status("VmRSS")/megabytes, time.Since(began).Round(100*time.Millisecond))
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

// post sends a body to a model and gives the status.
func (m *memory) post(ctx context.Context, model string, body io.Reader, headers ...string) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+m.http+"/v2/models/"+model+"/infer", body)
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
	return together(30, func() string { return m.post(ctx, "add", bytes.NewReader(bomb.Bytes()), "Content-Encoding", "gzip") })
}

func (m *memory) documents(ctx context.Context) string {
	body := []byte(`{"inputs":[{"name":"X","datatype":"INT32","shape":[1,1],"data":[` + strings.Repeat("1,", 31*megabytes) + `1]}]}`)
	return together(20, func() string { return m.post(ctx, "add", bytes.NewReader(body)) })
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

// client is one with a connection of its own, which takes answers of any size.
func (m *memory) client() (kservepb.GRPCInferenceServiceClient, func()) {
	conn, err := grpc.NewClient(m.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<31-1), grpc.MaxCallSendMsgSize(1<<31-1)))
	if err != nil {
		m.t.Fatal(err)
	}
	return kservepb.NewGRPCInferenceServiceClient(conn), func() { _ = conn.Close() }
}

// unreadStreams asks for many large answers, and reads none until all have been asked for. The server may end the stream.
func (m *memory) unreadStreams(ctx context.Context) string {
	return together(2, func() string {
		c, done := m.client()
		defer done()
		stream, err := c.ModelStreamInfer(ctx)
		if err != nil {
			return err.Error()
		}
		for range 200 {
			_ = stream.Send(&kservepb.ModelInferRequest{ // the end of the stream is seen below
				ModelName:        "wide",
				Inputs:           []*kservepb.ModelInferRequest_InferInputTensor{{Name: "X", Datatype: "INT32", Shape: []int64{1, 1}}},
				RawInputContents: [][]byte{number(1)},
			})
		}
		<-time.After(5 * time.Second) // all that is going to run has run: today that takes 2 s
		_ = stream.CloseSend()
		answers := 0
		for ; ; answers++ {
			answer, err := stream.Recv()
			if err == io.EOF {
				return fmt.Sprint(answers, " answers")
			}
			if err != nil {
				if !strings.Contains(err.Error(), "--request-memory-limit") {
					m.lose("the way out: %v", err)
				}
				return "the stream was ended"
			}
			if answer.ErrorMessage != "" && !strings.Contains(answer.ErrorMessage, "--request-memory-limit") {
				m.lose("the way out: %s", answer.ErrorMessage)
			}
		}
	})
}

func (m *memory) message(ctx context.Context) string {
	return together(1, func() string {
		c, done := m.client()
		defer done()
		_, err := c.ModelInfer(ctx, &kservepb.ModelInferRequest{
			ModelName: "add", Inputs: []*kservepb.ModelInferRequest_InferInputTensor{{Name: "X", Datatype: "UINT8", Shape: []int64{1}}},
			RawInputContents: [][]byte{make([]byte, 600*megabytes)},
		})
		if err == nil || !strings.Contains(err.Error(), "--request-memory-limit") {
			m.lose("the way out: %v", err)
		}
		return "refused"
	})
}
