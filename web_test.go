package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"conch/app"
	"conch/app/single"
	"conch/app/web"
)

// running is a workbench that has a repository. A start with these options finds it.
func running(t *testing.T, dataDir string, kind single.Kind, at func() single.Address) app.Options {
	t.Helper()
	opts := app.Options{DataDir: dataDir, Repositories: []string{t.TempDir()}, Kind: single.Web}
	k := single.NewKeeper(opts.DataDir, kind)
	t.Cleanup(k.Close)
	release, err := k.Claim(opts.Repositories)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	k.Announce(at, func() {})
	return opts
}

// TestNewTokenWhileAServerRuns: the old address is invalid from then on, and the new one is printed.
func TestNewTokenWhileAServerRuns(t *testing.T) {
	dir := t.TempDir()
	old, err := web.Token(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	server, err := web.Listen(web.Options{Files: fstest.MapFS{}, TokenDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, end := context.WithCancel(context.Background())
		end()
		_ = server.Serve(ctx) // frees the port
	})
	opts := running(t, dir, single.Web, func() single.Address { return single.Address{URL: server.URL(), Listens: server.Listens()} })
	for _, renew := range []bool{false, true} {
		_, said, err := (&webCommand{NewToken: renew}).begin(t.Context(), opts)
		if err != nil || !strings.HasPrefix(said, "Conch is at "+server.URL()+"\nIt was running already (process "+strconv.Itoa(os.Getpid())+").") {
			t.Errorf("--new-token=%v: said %q, %v", renew, said, err)
		}
		if strings.Contains(said, old) == renew {
			t.Errorf("--new-token=%v: said %q, the old token is %s", renew, said, old)
		}
	}
}

// TestNewTokenThatCannotBeKept: while the old token is still valid, nobody is told otherwise.
func TestNewTokenThatCannotBeKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	opts := app.Options{DataDir: filepath.Join(file, "data"), Repositories: []string{t.TempDir()}}
	if _, _, err := (&webCommand{NewToken: true}).begin(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "no new token was made, and the old one is still valid") {
		t.Errorf("said %v", err)
	}
	if tokens, _, err := (&webCommand{}).begin(t.Context(), opts); err != nil || tokens != "" {
		t.Errorf("a start without it: %q, %v", tokens, err)
	}
}

// TestFlagsThatARunningServerDoesNotFulfil: they are refused, and the address is printed anyway.
func TestFlagsThatARunningServerDoesNotFulfil(t *testing.T) {
	at := func(listens string) func() single.Address {
		return func() single.Address { return single.Address{URL: "http://127.0.0.1:8008/", Listens: listens} }
	}
	for _, s := range []struct {
		kind         single.Kind
		listens      string
		given        webCommand
		unmet, shown string
	}{
		{kind: single.Web, listens: "127.0.0.1:8008", shown: "Conch is at http://127.0.0.1:8008/"},
		{kind: single.Web, listens: "127.0.0.1:8008", given: webCommand{Port: 8008, Address: "127.0.0.1"}, shown: "Conch is at"},
		{kind: single.Web, listens: "127.0.0.1:8008", given: webCommand{Port: 9000}, shown: "Conch is at", unmet: "not started again for --port 9000: it listens on 127.0.0.1:8008"},
		{kind: single.Web, listens: "127.0.0.1:8008", given: webCommand{Port: 9000, Address: "0.0.0.0"}, shown: "Conch is at", unmet: "for --address 0.0.0.0 and --port 9000: it"},
		{kind: single.Web, listens: "[::]:8008", given: webCommand{Address: "::"}, shown: "Conch is at"},
		{kind: single.Web, listens: "0.0.0.0:8008", given: webCommand{Address: "127.0.0.1"}, shown: "Conch is at", unmet: "--address 127.0.0.1: it listens on 0.0.0.0:8008"},
		{kind: single.Window, shown: "is open in another window of Conch, which is in front now.\n"},
		{kind: single.Window, given: webCommand{Port: 8008}, shown: "in another window", unmet: "--port 8008: it has a window, and listens nowhere"},
	} {
		_, said, err := s.given.begin(t.Context(), running(t, t.TempDir(), s.kind, at(s.listens)))
		if !strings.Contains(said, s.shown) || (err == nil) != (s.unmet == "") || err != nil && !strings.Contains(err.Error(), s.unmet) {
			t.Errorf("%+v: said %q, %v", s.given, said, err)
		}
	}
}
