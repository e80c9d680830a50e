package single_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/app/single"
)

// holderEnv makes the test binary a workbench that claims a repository, reports that, and waits for
// the end of its input.
const holderEnv = "CONCH_TEST_HOLDER"

func TestMain(m *testing.M) {
	if spec := os.Getenv(holderEnv); spec != "" {
		os.Exit(hold(strings.Split(spec, "\n")))
	}
	os.Exit(m.Run())
}

func hold(spec []string) int {
	k := single.NewKeeper(spec[0], single.Kind(spec[1]))
	defer k.Close()
	release, err := k.Claim(spec[2:])
	if err != nil {
		fmt.Println(err)
		return 1
	}
	k.Announce(at("http://127.0.0.1:8008/"), func() { fmt.Println("shown") })
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
	release()
	return 0
}

func at(url string) func() single.Address {
	return func() single.Address { return single.Address{URL: url} }
}

// process is another workbench.
type process struct {
	cmd   *exec.Cmd
	in    io.Closer
	lines *bufio.Scanner
}

func start(t *testing.T, kind single.Kind, dir string, roots ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), holderEnv+"="+strings.Join(append([]string{dir, string(kind)}, roots...), "\n"))
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in, p.lines = in, bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	return p
}

func (p *process) says(t *testing.T, want string) {
	t.Helper()
	if !p.lines.Scan() || !strings.Contains(p.lines.Text(), want) {
		t.Fatalf("said %q, %v; want %q", p.lines.Text(), p.lines.Err(), want)
	}
}

func TestSecondStartShowsTheFirst(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	first := start(t, single.Window, dir, root)
	first.says(t, "held")
	second := start(t, single.Window, dir, root)
	second.says(t, root+" is open in another window of Conch, which is in front now")
	if err := second.cmd.Wait(); err == nil {
		t.Error("the second has it too")
	}
	first.says(t, "shown")
	held, err := single.Find(dir, []string{root + "/."})
	if err != nil || held == nil || held.Holder.PID != first.cmd.Process.Pid || held.Partly || held.Holder.Kind != single.Window {
		t.Errorf("found %v, %v", held, err)
	}
	first.says(t, "shown")
	other := start(t, single.Web, dir, t.TempDir())
	other.says(t, "held")
}

func TestKilledHolderLeavesNothing(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	for range 3 {
		p := start(t, single.Web, dir, root)
		p.says(t, "held")
		if err := p.cmd.Process.Kill(); err != nil { // it cannot clean up
			t.Fatal(err)
		}
		_ = p.cmd.Wait()
		if held, err := single.Find(dir, []string{root}); held != nil || err != nil {
			t.Fatalf("a dead process has it: %v, %v", held, err)
		}
	}
	p := start(t, single.Web, dir, root)
	p.says(t, "held")
	_ = p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "running", "*.json")); len(left) > 0 || single.AnyRunning(dir) {
		t.Errorf("left behind: %v", left)
	}
}

func TestClaims(t *testing.T) {
	// A path that is too long for a socket.
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 40))
	root, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	a, b := single.NewKeeper(dir, single.Web), single.NewKeeper(dir, single.Window)
	defer a.Close()
	defer b.Close()
	a.Announce(at("http://127.0.0.1:1/"), nil)
	release, err := a.Claim([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	again, err := a.Claim([]string{link}) // the same workbench opens it again
	if err != nil {
		t.Fatal(err)
	}
	release()
	release()
	var elsewhere *single.ElsewhereError
	if _, err := b.Claim([]string{link}); !errors.As(err, &elsewhere) || !strings.Contains(err.Error(), "served by conch web already, at http://127.0.0.1:1/") {
		t.Errorf("claimed twice: %v", err)
	}
	if info, err := os.Stat(filepath.Join(dir, "running")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info, err)
	}
	again()
	free, err := b.Claim([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	free()
}

// TestStartingHolderIsWaitedFor: a start that asks while the first is starting gets its address once
// it has one.
func TestStartingHolderIsWaitedFor(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	k := single.NewKeeper(dir, single.Web)
	defer k.Close()
	release, err := k.Claim([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	found := make(chan *single.ElsewhereError)
	go func() {
		held, _ := single.Find(dir, []string{root})
		found <- held
	}()
	select {
	case held := <-found:
		t.Fatalf("answered before there is an address: %v", held)
	case <-time.After(50 * time.Millisecond):
	}
	k.Announce(at("http://127.0.0.1:2/"), nil)
	if held := <-found; held == nil || held.Holder.URL != "http://127.0.0.1:2/" {
		t.Errorf("found %v", held)
	}
}

// TestSharedFolder: repositories with a common folder share its unsaved texts, so one workbench at a
// time has that folder. The second is told which process has it, and which other folders that process
// has.
func TestSharedFolder(t *testing.T) {
	dir, a, b, c := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	first := start(t, single.Window, dir, a, b)
	first.says(t, "held")
	pid := fmt.Sprintf("(process %d, which has %s, %s)", first.cmd.Process.Pid, min(a, b), max(a, b))
	for _, asked := range [][]string{{a}, {b}, {c, b}, {a, b, c}} {
		second := start(t, single.Window, dir, asked...)
		second.says(t, pid)
		if text := second.lines.Text(); strings.Contains(text[:strings.Index(text, "is open")], c) {
			t.Errorf("%s is said to be taken: %s", c, text)
		}
		first.says(t, "shown")
		if err := second.cmd.Wait(); err == nil {
			t.Errorf("%q are had too", asked)
		}
	}
	free := start(t, single.Web, dir, c) // a refused claim holds nothing
	free.says(t, "held")
	_ = first.in.Close()
	_ = first.cmd.Wait()
	last := start(t, single.Web, dir, a)
	last.says(t, "held")
}
