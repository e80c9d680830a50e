package web_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"conch/app/web"
)

func TestTokenOutlivesARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	path := filepath.Join(dir, "web-token")
	ask := func(renew bool) string {
		t.Helper()
		token, err := web.Token(dir, renew)
		if err != nil || len(token) != 32 {
			t.Fatalf("token %q, %v", token, err)
		}
		return token
	}
	first := ask(false)
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if again := ask(false); again != first {
		t.Errorf("after a restart the token is %s, before it was %s", again, first)
	}
	renewed := ask(true)
	if renewed == first || ask(false) != renewed {
		t.Errorf("renewed is %s", renewed)
	}
	if err := os.WriteFile(path, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := ask(false)
	if runtime.GOOS != "windows" {
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		if ask(false) == whole {
			t.Error("a token that others could read is used on")
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
}

func TestTokenIsBehindTheHash(t *testing.T) {
	s := serve(t, web.Options{Port: freePort(t)})
	if want := "http://" + host(t, s) + "/#token=" + s.Token(); s.URL() != want {
		t.Errorf("the address is %s, want %s", s.URL(), want)
	}
}
