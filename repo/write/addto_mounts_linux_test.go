package write_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"conch/repo/write"
)

// TestNewFileOnAnotherMount: a file is made in a folder that is a mount of its own, of the same disk as what waits: no rename leads there.
// The mounts are those of a process of its own.
func TestNewFileOnAnotherMount(t *testing.T) {
	const inside = "CONCH_TEST_MOUNTS"
	root := os.Getenv(inside)
	if root == "" {
		command := exec.Command(os.Args[0], "-test.run=^TestNewFileOnAnotherMount$")
		command.Env = append(os.Environ(), inside+"="+t.TempDir())
		command.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		out, err := command.CombinedOutput()
		if err != nil && (len(out) == 0 || strings.Contains(string(out), "no mounts here")) {
			t.Skipf("this user may not mount: %v", err)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	data, model := filepath.Join(root, "data"), filepath.Join(root, "model")
	for _, dir := range []string{data, filepath.Join(model, "1"), filepath.Join(root, "elsewhere")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mount(filepath.Join(root, "elsewhere"), filepath.Join(model, "1"), "", syscall.MS_BIND, ""); err != nil {
		t.Fatal("no mounts here:", err)
	}
	waiting := write.Waiting{Places: []string{data}}
	for _, rel := range []string{"1/labels.txt", "1/more/notes.txt"} {
		path := filepath.Join(model, rel)
		if err := waiting.NewFile(path, []byte("x")); err != nil {
			t.Error(err)
		} else if text, err := os.ReadFile(path); err != nil || string(text) != "x" {
			t.Errorf("%s holds %q, %v", rel, text, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(model, "1", ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
