//go:build unix

package app_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/app"
	"conch/app/api"
	"conch/app/api/apiconnect"

	"connectrpc.com/connect"
)

// conch is the program itself, built once for these tests. Its `serve` is their engine.
var conch string

func TestMain(m *testing.M) {
	if root := os.Getenv(childRoot); root != "" {
		os.Exit(runChild(root))
	}
	withoutTestLog()
	os.Exit(buildAndRun(m))
}

// withoutTestLog ends the log of opened files that `go test` makes a test binary write. If it writes
// while a test limits the size of files, as limitFiles does, the run fails at its end.
func withoutTestLog() {
	flag.Parse()
	_ = flag.Set("test.testlogfile", "")
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "app-") // short, because the paths of sockets are limited
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, place := range []string{"TMPDIR", "XDG_RUNTIME_DIR"} { // workbenches that are killed leave files there
		_ = os.Setenv(place, dir)
	}
	conch = filepath.Join(dir, "conch")
	if out, err := exec.Command("go", "build", "-o", conch, "conch").CombinedOutput(); err != nil {
		fmt.Printf("build the program: %v\n%s", err, out)
		return 1
	}
	runtime, err := filepath.Abs("../build/cache/onnxruntime/libonnxruntime.so.1")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if os.Getenv("CONCH_ONNXRUNTIME") == "" {
		_ = os.Setenv("CONCH_ONNXRUNTIME", runtime)
	}
	return m.Run()
}

// window has what the page in a window has: the five services.
type window struct {
	workspace apiconnect.WorkspaceServiceClient
	models    apiconnect.ModelServiceClient
	editor    apiconnect.EditorServiceClient
	try       apiconnect.TryServiceClient
	metrics   apiconnect.MetricsServiceClient
	root      string
	handler   http.Handler
	app       *app.App
	close     func() // ends the program, as a person does
}

// openExamples opens a copy of the example repository.
func openExamples(t *testing.T) *window {
	t.Helper()
	return open(t, copyExamples(t))
}

func copyExamples(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "repository")
	if err := os.CopyFS(root, os.DirFS("../examples/repository")); err != nil {
		t.Fatal(err)
	}
	return root
}

func open(t *testing.T, root string) *window {
	t.Helper()
	return openWith(t, app.Options{Repositories: []string{root}})
}

// openWith opens a workbench. It fills in options that the test does not set.
func openWith(t *testing.T, opts app.Options) *window {
	t.Helper()
	if opts.DataDir == "" {
		opts.DataDir = t.TempDir()
	}
	opts.EngineCommand = []string{conch, "serve"}
	a, err := app.New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(a.Handler())
	closed := sync.OnceFunc(func() {
		server.CloseClientConnections()
		server.Close()
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(closed)
	w := windowAt(server.URL)
	w.root, w.handler, w.app, w.close = strings.Join(opts.Repositories, ":"), a.Handler(), a, closed
	return w
}

func windowAt(url string) *window {
	c := http.DefaultClient
	return &window{
		workspace: apiconnect.NewWorkspaceServiceClient(c, url),
		models:    apiconnect.NewModelServiceClient(c, url),
		editor:    apiconnect.NewEditorServiceClient(c, url),
		try:       apiconnect.NewTryServiceClient(c, url),
		metrics:   apiconnect.NewMetricsServiceClient(c, url),
	}
}

// snapshot is what a page knows from the stream.
type snapshot struct {
	repository *api.Repository
	engine     *api.Engine
	models     map[string]*api.ModelSummary
	notices    []string
	drafts     []*api.DraftInfo
}

func (s *snapshot) state(name string) api.ModelState { return s.models[name].GetState() }

// until follows the stream until a condition holds.
func (w *window) until(t *testing.T, what string, met func(s *snapshot) bool) *snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	stream, err := w.workspace.Watch(ctx, connect.NewRequest(&api.WatchRequest{}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	s := &snapshot{models: map[string]*api.ModelSummary{}}
	for stream.Receive() {
		s.take(stream.Msg())
		if met(s) {
			return s
		}
	}
	t.Fatalf("waited in vain until %s: %v; engine %v, models %v, notices %q", what, stream.Err(), s.engine, s.models, s.notices)
	return nil
}

func (s *snapshot) take(u *api.WorkspaceUpdate) {
	if u.Repository != nil {
		s.repository = u.Repository
	}
	if u.Engine != nil {
		s.engine = u.Engine
	}
	if u.Drafts != nil {
		s.drafts = u.Drafts.List
	}
	for _, m := range u.Models {
		s.models[m.Name] = m
	}
	for _, name := range u.RemovedModels {
		delete(s.models, name)
	}
	for _, n := range u.Notices {
		s.notices = append(s.notices, n.Text)
	}
}

func allReady(s *snapshot) bool {
	for _, m := range s.models {
		if m.State != api.ModelState_MODEL_STATE_READY {
			return false
		}
	}
	return len(s.models) > 0
}

// call makes a call that must succeed.
func call[Q, A any](t *testing.T, method func(context.Context, *connect.Request[Q]) (*connect.Response[A], error), question *Q) *A {
	t.Helper()
	answer, err := method(t.Context(), connect.NewRequest(question))
	if err != nil {
		t.Fatal(err)
	}
	return answer.Msg
}

// refused makes a call that must fail with this code.
func refused[Q, A any](t *testing.T, method func(context.Context, *connect.Request[Q]) (*connect.Response[A], error), question *Q, code connect.Code) string {
	t.Helper()
	_, err := method(t.Context(), connect.NewRequest(question))
	if connect.CodeOf(err) != code {
		t.Errorf("%v, want code %v", err, code)
		return ""
	}
	return err.Error()
}
