package servers

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/remote"
	"conch/app/store"
)

// TestSecretsStayInTheirFile: a token is in a file for this user alone, and not in the history; it stays
// when the server is saved without it, also under another name, and goes with the server.
func TestSecretsStayInTheirFile(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	l := &List{store: s, secrets: file{filepath.Join(dir, "servers.json")}, given: map[string]remote.Options{}, removed: map[string]removed{}}
	o := remote.Options{Name: "a", Address: "grpcs://triton", Headers: []remote.Header{{Name: "authorization", Value: "Bearer secret"}}}
	if err := l.Save(t.Context(), o, ""); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "servers.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v: %v", info.Mode(), err)
	}
	values, err := s.Settings(t.Context())
	if err != nil || strings.Contains(values[prefix+"a"], "secret") {
		t.Errorf("the history has %q: %v", values[prefix+"a"], err)
	}
	o.Name, o.Headers = "b", []remote.Header{{Name: "authorization"}}
	if err := l.Save(t.Context(), o, "a"); err != nil {
		t.Fatal(err)
	}
	whole, err := l.Whole(t.Context(), "b")
	if err != nil || len(whole.Headers) != 1 || whole.Headers[0].Value != "Bearer secret" {
		t.Errorf("the headers are %v: %v", whole.Headers, err)
	}
	if err := l.Remove(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "servers.json")); err != nil || strings.Contains(string(text), "secret") {
		t.Errorf("after it was removed the file has %q: %v", text, err)
	}
	if err := l.Remove(t.Context(), "b"); err != nil { // as a second window does
		t.Fatal(err)
	}
	if err := l.Save(t.Context(), o, "b"); err != nil {
		t.Fatal(err)
	}
	if whole, err := l.Whole(t.Context(), "b"); err != nil || len(whole.Headers) != 1 || whole.Headers[0].Value != "Bearer secret" {
		t.Errorf("after it was put back the headers are %v: %v", whole.Headers, err)
	}
	if err := l.Remove(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	o.Address = "grpcs://elsewhere"
	err = l.Save(t.Context(), o, "b")
	if whole, _ := l.Whole(t.Context(), "b"); len(whole.Headers) == 1 && whole.Headers[0].Value != "" {
		t.Errorf("another server of the name gets the headers %v: %v", whole.Headers, err)
	}
}

// TestShown: the server that was shown last is known while it is kept.
func TestShown(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	l := Open(s, dir)
	shown := func(want string) {
		t.Helper()
		if got, err := l.Shown(t.Context()); got != want || err != nil {
			t.Errorf("%q was shown last, %v; want %q", got, err, want)
		}
	}
	shown("")
	if err := errors.Join(l.Save(t.Context(), remote.Options{Name: "a", Address: "grpc://triton"}, ""), l.NoteShown(t.Context(), "a")); err != nil {
		t.Fatal(err)
	}
	shown("a")
	if all, err := l.All(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("the servers are %v, %v", all, err)
	}
	if err := l.NoteShown(t.Context(), "an address of one start"); err != nil {
		t.Fatal(err)
	}
	shown("")
	if err := errors.Join(l.NoteShown(t.Context(), "a"), l.Remove(t.Context(), "a")); err != nil {
		t.Fatal(err)
	}
	shown("")
}
