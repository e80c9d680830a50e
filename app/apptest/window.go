//go:build unix

package apptest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api/apiconnect"
)

// Window has what the page in a window has: the six services.
type Window struct {
	Workspace apiconnect.WorkspaceServiceClient
	Handover  apiconnect.HandoverServiceClient
	Convert   apiconnect.ConversionServiceClient
	Models    apiconnect.ModelServiceClient
	Editor    apiconnect.EditorServiceClient
	Try       Try
	Metrics   apiconnect.MetricsServiceClient
	Servers   apiconnect.ServerServiceClient
	Root      string
	Handler   http.Handler
	App       *app.App
	Close     func() // ends the program, as a person does
}

// OpenExamples opens a copy of the example repository.
func OpenExamples(t *testing.T) *Window {
	t.Helper()
	return Open(t, CopyExamples(t))
}

// CopyExamples copies the example repository without its Python model, which needs more than this program.
func CopyExamples(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "repository")
	if err := os.CopyFS(root, os.DirFS(filepath.Join(tree(), "examples", "repository"))); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(root, "say_digit")); err != nil {
		t.Fatal(err)
	}
	return root
}

// Open opens a repository.
func Open(t *testing.T, root string) *Window {
	t.Helper()
	return OpenWith(t, app.Options{Repositories: []string{root}})
}

// OpenWith opens a workbench. It fills in options that the test does not set.
func OpenWith(t *testing.T, opts app.Options) *Window {
	t.Helper()
	if opts.DataDir == "" {
		opts.DataDir = t.TempDir()
	}
	opts.EngineCommand = []string{program, "serve"}
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
	w := WindowAt(server.URL)
	w.Root, w.Handler, w.App, w.Close = strings.Join(opts.Repositories, ":"), a.Handler(), a, closed
	return w
}

// WindowAt returns a window of the workbench with this address.
func WindowAt(url string) *Window {
	c := http.DefaultClient
	return &Window{
		Workspace: apiconnect.NewWorkspaceServiceClient(c, url),
		Handover:  apiconnect.NewHandoverServiceClient(c, url),
		Convert:   apiconnect.NewConversionServiceClient(c, url),
		Models:    apiconnect.NewModelServiceClient(c, url),
		Editor:    apiconnect.NewEditorServiceClient(c, url),
		Try:       Try{apiconnect.NewTryServiceClient(c, url)},
		Metrics:   apiconnect.NewMetricsServiceClient(c, url),
		Servers:   apiconnect.NewServerServiceClient(c, url),
	}
}

// Call makes a call that must succeed.
func Call[Q, A any](t *testing.T, method func(context.Context, *connect.Request[Q]) (*connect.Response[A], error), question *Q) *A {
	t.Helper()
	answer, err := method(t.Context(), connect.NewRequest(question))
	if err != nil {
		t.Fatal(err)
	}
	return answer.Msg
}

// Refused makes a call that must fail with this code, and returns the error.
func Refused[Q, A any](t *testing.T, method func(context.Context, *connect.Request[Q]) (*connect.Response[A], error), question *Q, code connect.Code) string {
	t.Helper()
	_, err := method(t.Context(), connect.NewRequest(question))
	if connect.CodeOf(err) != code {
		t.Errorf("%v, want code %v", err, code)
		return ""
	}
	return err.Error()
}
