package faults_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/kserve/kservepb"
)

// program is the path of conch.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

// run builds the program unless there is one, and prints the accounts of the tests.
func run(m *testing.M) int {
	if lists() {
		return m.Run()
	}
	if err := divide(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer report(os.Stdout)
	if program = os.Getenv("CONCH_BINARY"); program != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "conch-faults-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program = filepath.Join(dir, "conch")
	build := exec.Command("go", "build", "-o", program, "conch")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build conch: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// server is a running `conch serve` and a client of it.
type server struct {
	kservepb.GRPCInferenceServiceClient
	cmd        *exec.Cmd
	repository string
	log        *lockedBuffer
	ended      chan struct{}
	ending     sync.Once
}

// lockedBuffer is what the server writes.
type lockedBuffer struct {
	mu sync.Mutex // guards what follows
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// tail is the end of it.
func (l *lockedBuffer) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.b.String()
	return text[max(0, len(text)-4000):]
}

// untilLogged waits until something has been logged n times.
func (s *server) untilLogged(t *testing.T, n int, text string) {
	t.Helper()
	limit := time.After(time.Minute)
	for s.log.count(text) < n {
		select {
		case <-limit:
			t.Fatalf("%q was not logged %d times:\n%s", text, n, s.log.tail())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// count says how often a text was written.
func (l *lockedBuffer) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Count(l.b.Bytes(), []byte(text))
}

// serve starts an engine over a repository; the test's end stops it and wants it to have lived until then.
func serve(t *testing.T, repository string, flags ...string) *server {
	t.Helper()
	port := freePort(t)
	cmd := exec.Command(program, append([]string{"serve", "--model-repository=" + repository, "--allow-http=false",
		"--allow-metrics=false", "--grpc-port=" + port, "--exit-on-error=false", "--no-strict-readiness"}, flags...)...)
	cmd.Env = append(os.Environ(), "CONCH_DATA_DIR="+t.TempDir(), "CONCH_ONNXRUNTIME="+onnxtest.Library(t))
	return start(t, repository, cmd, port)
}

// start runs a command that is an engine with gRPC at that port; the test's end stops it.
func start(t *testing.T, repository string, cmd *exec.Cmd, port string) *server {
	t.Helper()
	s := &server{repository: repository, cmd: cmd, log: &lockedBuffer{}, ended: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.ended)
	}()
	conn, err := grpc.NewClient("127.0.0.1:"+port, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	s.GRPCInferenceServiceClient = kservepb.NewGRPCInferenceServiceClient(conn)
	t.Cleanup(func() { s.stop(t, conn) })
	s.ready(t)
	return s
}

// freePort is one that nobody uses.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func (s *server) ready(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		answer, err := s.ServerReady(ctx, &kservepb.ServerReadyRequest{}, grpc.WaitForReady(true))
		if err != nil {
			t.Fatalf("not ready: %v\n%s", err, s.log.tail())
		}
		if answer.Ready { // its port is open before it has loaded what it should
			return
		}
		<-time.After(5 * time.Millisecond)
	}
}

// stop ends the server and looks at how it ended.
func (s *server) stop(t *testing.T, conn *grpc.ClientConn) {
	_ = conn.Close()
	s.end(t)
	if strings.Contains(s.log.tail(), "panic:") || strings.Contains(s.log.tail(), "fatal error:") {
		t.Errorf("it panicked:\n%s", s.log.tail())
	}
}

// end ends the server, once; it must not have ended by itself, nor take long.
func (s *server) end(t *testing.T) {
	s.ending.Do(func() {
		if !s.alive() {
			t.Errorf("the engine has ended: %v\n%s", s.cmd.ProcessState, s.log.tail())
			return
		}
		_ = s.cmd.Process.Signal(os.Interrupt)
		select {
		case <-s.ended:
		case <-time.After(40 * time.Second):
			t.Error("the engine does not end")
			_ = s.cmd.Process.Kill()
			<-s.ended
		}
	})
}

func (s *server) alive() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// write makes a file of a repository.
func write(t testing.TB, repository, path string, content []byte) {
	t.Helper()
	at := filepath.Join(repository, path)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// adder is a model that adds n to X, and says what n is: SUM = X + n, N = n.
func adder(n int32) []byte {
	return onnxtest.Model{
		Inputs:       []onnxtest.Value{{Name: "X", Type: onnxtest.Int32, Dims: onnxtest.Dims("batch", 1)}},
		Outputs:      []onnxtest.Value{{Name: "SUM", Type: onnxtest.Int32, Dims: onnxtest.Dims("batch", 1)}, {Name: "N", Type: onnxtest.Int32, Dims: onnxtest.Dims("batch", 1)}},
		Initializers: []onnxtest.Initializer{{Name: "n", Type: onnxtest.Int32, Dims: []int64{1}, Raw: number(n)}},
		Nodes: []onnxtest.Node{
			{Op: "Add", Inputs: []string{"X", "n"}, Outputs: []string{"SUM"}},
			{Op: "Sub", Inputs: []string{"SUM", "X"}, Outputs: []string{"N"}},
		},
	}.Bytes()
}

func number(n int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

// add asks an adder, or an ensemble of one, and gives its n; an answer that is not of one piece is an error.
func (s *server) add(ctx context.Context, model string, x int32) (int32, error) {
	answer, err := s.ModelInfer(ctx, &kservepb.ModelInferRequest{
		ModelName:        model,
		Inputs:           []*kservepb.ModelInferRequest_InferInputTensor{{Name: "X", Datatype: "INT32", Shape: []int64{1, 1}}},
		RawInputContents: [][]byte{number(x)},
	})
	if err != nil {
		return 0, err
	}
	values := map[string]int32{}
	for i, out := range answer.Outputs {
		values[out.Name] = int32(binary.LittleEndian.Uint32(answer.RawOutputContents[i]))
	}
	if len(values) != 2 || values["SUM"]-x != values["N"] {
		return 0, fmt.Errorf("%d was answered with %v", x, values)
	}
	return values["N"], nil
}
