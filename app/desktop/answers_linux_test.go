package desktop

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// piped is the window's writer: it opens a pipe with the head, and programs inherit that.
type piped struct {
	t           *testing.T
	header      http.Header
	read, write *os.File
}

func (p *piped) Header() http.Header { return p.header }

func (p *piped) WriteHeader(int) {
	if p.write != nil {
		return
	}
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_NONBLOCK); err != nil {
		p.t.Fatal(err)
	}
	p.read, p.write = os.NewFile(uintptr(fds[0]), "read"), os.NewFile(uintptr(fds[1]), "write")
	p.t.Cleanup(func() { _ = p.read.Close() })
}

func (p *piped) Write(body []byte) (int, error) {
	p.WriteHeader(http.StatusOK)
	return p.write.Write(body)
}

// TestAnswersEnd: an answer ends although a program was started before it was written to the end, as
// the engine is when a repository is opened.
func TestAnswersEnd(t *testing.T) {
	engine := exec.Command("sleep", "600")
	t.Cleanup(func() {
		_ = engine.Process.Kill()
		_ = engine.Wait()
	})
	h := mount(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "opened")
		if err := engine.Start(); err != nil {
			t.Fatal(err)
		}
	}), newDropped(), slog.New(slog.DiscardHandler))(http.NotFoundHandler())
	w := &piped{t: t, header: http.Header{}}
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/open", strings.NewReader("")))
	_ = w.write.Close()
	_ = w.read.SetReadDeadline(time.Now().Add(5 * time.Second))
	if got, err := io.ReadAll(w.read); err != nil || string(got) != "opened" {
		t.Errorf("the page reads %q, %v", got, err)
	}
	if got := w.header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
		t.Errorf("the type of the answer is %q", got)
	}
}
