//go:build unix

package servers

import (
	"errors"
	"log/slog"
	"maps"
	"os"
	"testing"

	"conch/app/remote"
	"conch/app/store"
	"conch/build/fulldisk"
)

func TestMain(m *testing.M) {
	fulldisk.WithoutTestLog()
	os.Exit(m.Run())
}

// memory is a keyring that can be locked.
type memory struct {
	kept   map[string]map[string]string
	locked error
}

func (*memory) where() string                                  { return "memory" }
func (m *memory) get(server string) (map[string]string, error) { return m.kept[server], m.locked }
func (m *memory) set(server string, values map[string]string) error {
	switch {
	case m.locked != nil:
	case len(values) == 0:
		delete(m.kept, server)
	default:
		m.kept[server] = maps.Clone(values)
	}
	return m.locked
}

// TestFailingChange: a server that is not removed, or gets no other name, has its secrets as before, whatever failed.
func TestFailingChange(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	ring := &memory{kept: map[string]map[string]string{}}
	l := &List{store: s, secrets: ring, given: map[string]remote.Options{}, removed: map[string]removed{}}
	o := remote.Options{Name: "a", Address: "grpcs://triton", Headers: []remote.Header{{Name: "authorization", Value: "secret"}}}
	if err := l.Save(t.Context(), o, ""); err != nil {
		t.Fatal(err)
	}
	renamed := o
	renamed.Name = "b"
	full := func() func() { return fulldisk.LimitFiles(t, 1) }
	locked := func() func() {
		ring.locked = errors.New("the keyring is locked")
		return func() { ring.locked = nil }
	}
	for name, c := range map[string]struct {
		hinder func() func()
		change func() error
	}{
		"removed, full disk":      {full, func() error { return l.Remove(t.Context(), "a") }},
		"removed, locked keyring": {locked, func() error { return l.Remove(t.Context(), "a") }},
		"renamed, full disk":      {full, func() error { return l.Save(t.Context(), renamed, "a") }},
		"renamed, locked keyring": {locked, func() error { return l.Save(t.Context(), renamed, "a") }},
	} {
		t.Run(name, func(t *testing.T) {
			undo := c.hinder()
			err := c.change()
			undo()
			if err == nil {
				t.Error("it did not fail")
			}
			whole, err := l.Whole(t.Context(), "a")
			if err != nil || len(whole.Headers) != 1 || whole.Headers[0].Value != "secret" {
				t.Errorf("its headers are %v, %v", whole.Headers, err)
			}
			if all, err := l.All(t.Context()); err != nil || len(all) != 1 {
				t.Errorf("the servers are %v, %v", all, err)
			}
		})
	}
}
