package servers

import (
	"bufio"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/remote"
	"conch/app/store"
)

// secretService starts a session bus with a keyring of its own: the Secret Service that desktops have.
func secretService(t *testing.T) {
	t.Helper()
	for _, program := range []string{"dbus-daemon", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the keyring is not tried: %s is not installed", program)
		}
	}
	home := t.TempDir()
	if err := os.Chmod(home, 0o700); err != nil { // the keyring wants it so
		t.Fatal(err)
	}
	for _, name := range []string{"HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, home)
	}
	bus := exec.Command("dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1", "--address=unix:path="+filepath.Join(home, "bus"))
	out, err := bus.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, bus)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(address))
	ring := exec.Command("gnome-keyring-daemon", "--unlock", "--components=secrets", "--foreground", "--control-directory="+home)
	ring.Stdin = strings.NewReader("a password\n")
	if out, err = ring.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	start(t, ring)
	// It prints where its control socket is once it serves.
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Skipf("the keyring is not tried: gnome-keyring-daemon does not run here: %v", err)
	}
}

func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// TestSecretsStayInTheKeyring: where the system has a keyring, a token is there and in no file; it follows
// the server to another name, and goes with it.
func TestSecretsStayInTheKeyring(t *testing.T) {
	secretService(t)
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	l := Open(s, dir)
	if l.Secrets() != "the keyring of the system" {
		t.Fatalf("secrets are in %s", l.Secrets())
	}
	o := remote.Options{Name: "a", Address: "grpcs://triton", Headers: []remote.Header{{Name: "authorization", Value: "Bearer secret"}}}
	if err := l.Save(t.Context(), o, ""); err != nil {
		t.Fatal(err)
	}
	o.Name, o.Headers = "b", []remote.Header{{Name: "authorization"}}
	if err := l.Save(t.Context(), o, "a"); err != nil {
		t.Fatal(err)
	}
	if whole, err := l.Whole(t.Context(), "b"); err != nil || len(whole.Headers) != 1 || whole.Headers[0].Value != "Bearer secret" {
		t.Errorf("the headers are %v: %v", whole.Headers, err)
	}
	if left, err := l.secrets.get("a"); err != nil || len(left) != 0 {
		t.Errorf("under the old name there are %v: %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "servers.json")); err == nil {
		t.Error("there is a file with secrets beside the keyring")
	}
	if err := l.Remove(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if left, err := l.secrets.get("b"); err != nil || len(left) != 0 {
		t.Errorf("after it was removed there are %v: %v", left, err)
	}
}
