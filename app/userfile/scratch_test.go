//go:build unix

package userfile

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// childIn makes this test binary make a folder, print its path and wait.
const childIn = "CONCH_TEST_SCRATCH_IN"

func TestMain(m *testing.M) {
	if parent := os.Getenv(childIn); parent != "" {
		s, err := MakeScratch(parent, "t")
		if err != nil {
			panic(err)
		}
		fmt.Println(s.Path())
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// maker starts another process, which makes a folder.
func maker(t *testing.T, parent string) (dir string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childIn+"="+parent)
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(func() { kill(); _ = stdin.Close() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	must(t, err)
	return strings.TrimSpace(line), kill
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// swept makes a folder, which sweeps, and returns which of these folders are left.
func swept(t *testing.T, parent string, dirs ...string) (left []string) {
	t.Helper()
	s, err := MakeScratch(parent, "t")
	must(t, err)
	must(t, s.Remove())
	for _, dir := range append(dirs, s.Path()) {
		if _, err := os.Lstat(dir); err == nil {
			left = append(left, dir)
		}
	}
	return left
}

// aged sets a folder's time back.
func aged(t *testing.T, dir string, by time.Duration) {
	t.Helper()
	past := time.Now().Add(-by)
	must(t, os.Chtimes(dir, past, past))
}

// TestKilledProcessLeavesNothing: its folder is removed when the next one is made, but not while the
// process runs or the folder is young.
func TestKilledProcessLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	dir, kill := maker(t, parent)
	aged(t, dir, 2*unlocked)
	if left := swept(t, parent, dir); len(left) != 1 {
		t.Fatal("the folder of a process that runs was removed")
	}
	kill()
	aged(t, dir, young/2)
	if left := swept(t, parent, dir); len(left) != 1 {
		t.Fatal("a young folder was removed")
	}
	must(t, os.WriteFile(filepath.Join(dir, "engine-0.sock"), nil, FileMode))
	outside := filepath.Join(t.TempDir(), "outside")
	must(t, os.WriteFile(outside, nil, FileMode))
	must(t, os.Symlink(filepath.Dir(outside), filepath.Join(dir, "link")))
	aged(t, dir, 2*young)
	if left := swept(t, parent, dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Errorf("a link was followed: %v", err)
	}
}

// ended returns the number of a process that has ended.
func ended(t *testing.T) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	must(t, cmd.Run())
	return cmd.Process.Pid
}

// TestWhatIsNoLeftoverStays: links, files, folders of other users and programs stay. So does a folder
// in use by a process with another number here, such as one in a container.
func TestWhatIsNoLeftoverStays(t *testing.T) {
	parent, pid := t.TempDir(), ended(t)
	named := func(suffix string) string { return filepath.Join(parent, fmt.Sprintf("t-%d-%s", pid, suffix)) }
	make := func(dir string, age time.Duration) string {
		must(t, os.Mkdir(dir, DirMode))
		aged(t, dir, age)
		return dir
	}
	target := make(filepath.Join(parent, "target"), 2*unlocked)
	must(t, os.Symlink(target, named("link")))
	must(t, os.WriteFile(named("file"), nil, FileMode))
	used := make(named("used"), 0)
	lock, err := TryLock(filepath.Join(used, scratchLock))
	must(t, err)
	defer func() { _ = lock.Close() }()
	aged(t, used, 2*unlocked)
	stay := []string{
		target, named("link"), named("file"), used, make(named("unlocked"), unlocked/2),
		make(filepath.Join(parent, "t-x-1"), 2*unlocked), make(filepath.Join(parent, fmt.Sprintf("u-%d-1", pid)), 2*unlocked),
		make(filepath.Join(parent, fmt.Sprintf("t-%d", pid)), 2*unlocked),
	}
	if os.Geteuid() == 0 {
		other := make(named("other"), 2*unlocked)
		must(t, os.Chown(other, 12345, 12345))
		stay = append(stay, other)
	}
	old := make(named("old"), 2*unlocked) // of a process that was killed before it took its lock
	if left := swept(t, parent, append(stay, old)...); len(left) != len(stay) {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Lstat(old); err == nil {
		t.Error("a folder that nobody used for a day is left")
	}
}

// TestLeftoverWhereNothingCanBeLocked: on a file system without locks the age of a folder decides.
func TestLeftoverWhereNothingCanBeLocked(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, scratchLock), nil, FileMode))
	failing := func(with error) func(string) (*os.File, error) {
		return func(path string) (*os.File, error) { return nil, &os.PathError{Op: "lock", Path: path, Err: with} }
	}
	for _, c := range []struct {
		age  time.Duration
		err  error
		want bool
	}{
		{2 * unlocked, syscall.EOPNOTSUPP, true},
		{2 * unlocked, syscall.ENOSYS, true},
		{2 * unlocked, syscall.ENOLCK, true},
		{unlocked / 2, syscall.EOPNOTSUPP, false},
		{2 * unlocked, ErrLocked, false},
		{2 * unlocked, syscall.EMFILE, false},
	} {
		if got := abandoned(dir, c.age, failing(c.err)); got != c.want {
			t.Errorf("%v old, %v: abandoned %v", c.age, c.err, got)
		}
	}
}
