//go:build unix

package app_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/prototext"

	"conch/app"
	"conch/app/api"
	. "conch/app/apptest"
)

// lines is a log that may be written while it is read.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestTokenIsNowhere: a token reaches the server and nobody else. It is in no log, no error, also where
// the server repeats it, no answer to the page, no command line and no file but the one for secrets.
func TestTokenIsNowhere(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	const token = "a-token-that-nobody-reads"
	seen := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case seen <- r.Header.Get("Authorization"):
		default:
		}
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"error": "%s is not known"}`, r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	log := &lines{}
	dir := t.TempDir()
	w := OpenWith(t, app.Options{DataDir: dir, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	about := &api.Server{Name: "peer", Address: server.URL, Headers: []*api.Header{{Name: "authorization", Value: "Bearer " + token}}}
	var told []string
	_, err := w.Servers.TestServer(t.Context(), connect.NewRequest(&api.TestServerRequest{Server: about}))
	told = append(told, fmt.Sprint(err))
	Call(t, w.Servers.SaveServer, &api.SaveServerRequest{Server: about})
	Call(t, w.Servers.Attach, &api.AttachRequest{Name: "peer"})
	s := w.Until(t, "the server is known to refuse", func(s *Snapshot) bool { return silent(s) && strings.Contains(s.Engine.Reason, "refuses this client") })
	if sent := <-seen; sent != "Bearer "+token {
		t.Errorf("the server was sent %q", sent)
	}
	told = append(told, prototext.Format(s.Engine), fmt.Sprint(s), prototext.Format(Call(t, w.Servers.ListServers, &api.ListServersRequest{})))
	_, err = w.Models.Load(t.Context(), connect.NewRequest(&api.LoadRequest{Name: "m"}))
	told = append(told, fmt.Sprint(err), log.String(), strings.Join(os.Args, " "))
	w.Close()
	for _, text := range told {
		if strings.Contains(text, token) {
			t.Errorf("the token is in %q", text)
		}
	}
	onlyInSecrets(t, dir, token)
}

// onlyInSecrets looks for a token in all files of a folder.
func onlyInSecrets(t *testing.T, dir, token string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if has := bytes.Contains(text, []byte(token)); has != (e.Name() == "servers.json") {
			t.Errorf("whether the token is in %s: %v", e.Name(), has)
		}
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v: %v", e.Name(), info.Mode(), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
