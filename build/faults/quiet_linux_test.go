package faults_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/engine/backend/onnx/onnxtest"
)

// quietTime is longer than ONNX Runtime's telemetry takes to speak: it writes at the start and connects after 9 seconds.
const quietTime = 15 * time.Second

// TestNothingLeavesTheMachine runs an engine as a person does, outside of any CI job, with a home folder of its own, and
// asks a model all the time. It writes nothing outside Conch's folders, and holds no socket but those that it listens at
// and their clients'. The environment names a proxy for programs that want to send something. This test is the proxy.
//
// Where strace is (`make test` installs it), the system calls are watched too, so that nothing is missed in between.
func TestNothingLeavesTheMachine(t *testing.T) {
	f := begin(t)
	q := newQuiet(t)
	write(t, q.dir, "repository/m/1/model.onnx", adder(1))
	s := start(t, filepath.Join(q.dir, "repository"), q.command(t), q.ports[0])
	for end := time.After(quietTime); ; {
		if n, err := s.add(t.Context(), "m", 1); err != nil || n != 1 {
			t.Fatalf("%d, %v", n, err)
		}
		f.throw("requests", 1)
		q.sockets(t, s.cmd.Process.Pid)
		select {
		case <-end:
		case <-time.After(50 * time.Millisecond): // how often it is looked at
			continue
		}
		break
	}
	s.end(t) // what waits to be sent may be sent at the end
	if !strings.Contains(s.log.tail(), "successfully loaded") {
		t.Errorf("no model was loaded:\n%s", s.log.tail())
	}
	q.files(t)
	q.calls(t)
}

// quiet is a place for an engine that is watched.
type quiet struct {
	dir   string
	ports [3]string // gRPC, HTTP, metrics
	proxy string    // where this test listens
	trace string    // what strace writes; empty without it
}

func newQuiet(t *testing.T) *quiet {
	t.Helper()
	q := &quiet{dir: t.TempDir(), ports: [3]string{freePort(t), freePort(t), freePort(t)}}
	for _, dir := range []string{"home", "work", "tmp"} {
		if err := os.Mkdir(filepath.Join(q.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	q.proxy = "http://" + listener.Addr().String()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // the test is over
			}
			head := make([]byte, 200)
			n, _ := conn.Read(head)
			_ = conn.Close()
			t.Errorf("somebody wants to reach another machine: %q", head[:n])
		}
	}()
	return q
}

// command runs the engine with nothing in its environment but what is said here: above all no CI, which quiets telemetry.
func (q *quiet) command(t *testing.T) *exec.Cmd {
	t.Helper()
	args := []string{
		program, "serve", "--model-repository=" + filepath.Join(q.dir, "repository"),
		"--grpc-port=" + q.ports[0], "--http-port=" + q.ports[1], "--metrics-port=" + q.ports[2],
	}
	if strace, err := exec.LookPath("strace"); err == nil {
		q.trace = filepath.Join(t.TempDir(), "trace")
		args = append([]string{strace, "-D", "-f", "-q", "-s", "4096", "-e", "trace=%network,%file", "-o", q.trace, "--"}, args...)
	} else {
		t.Log("strace is not installed: the system calls are not watched")
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = filepath.Join(q.dir, "work")
	home := filepath.Join(q.dir, "home")
	cmd.Env = []string{ // somebody else's wish for telemetry is not obeyed
		"ORT_DISABLE_TELEMETRY=0",
		"PATH=/usr/bin:/bin", "HOME=" + home, "TMPDIR=" + filepath.Join(q.dir, "tmp"), "CONCH_ONNXRUNTIME=" + onnxtest.Library(t),
		"XDG_CACHE_HOME=" + filepath.Join(home, "cache"), "XDG_CONFIG_HOME=" + filepath.Join(home, "config"),
		"XDG_DATA_HOME=" + filepath.Join(home, "data"), "XDG_STATE_HOME=" + filepath.Join(home, "state"),
	}
	for _, name := range []string{"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"} {
		cmd.Env = append(cmd.Env, name+"="+q.proxy)
	}
	return cmd
}

// sockets looks at what the process holds: every TCP socket has one of its own ports, and there is none of another kind.
func (q *quiet) sockets(t *testing.T, pid int) {
	t.Helper()
	own := map[string]bool{}
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, "socket:[") {
			own[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
		}
	}
	if len(own) < len(q.ports) {
		t.Fatalf("the process holds %d sockets: this test does not see them", len(own))
	}
	for _, kind := range []string{"tcp", "tcp6", "udp", "udp6", "raw", "raw6", "unix"} {
		table, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, kind)) // a system may lack one
		for line := range strings.Lines(string(table)) {
			fields := strings.Fields(line)
			if !slices.ContainsFunc(fields, func(f string) bool { return own[f] }) {
				continue
			}
			if !strings.HasPrefix(kind, "tcp") || !q.isOwn(fields[1]) {
				t.Fatalf("a socket that is not its own: %s: %s", kind, line)
			}
		}
	}
}

// isOwn takes an address as Linux writes it: 0100007F:1F40.
func (q *quiet) isOwn(address string) bool {
	var port int
	if _, err := fmt.Sscanf(address[strings.LastIndexByte(address, ':')+1:], "%X", &port); err != nil {
		return false
	}
	return slices.Contains(q.ports[:], fmt.Sprint(port))
}

// files looks at what is there now.
func (q *quiet) files(t *testing.T) {
	t.Helper()
	allowed := []string{"repository/m/1/model.onnx", "home/data/conch/", "home/cache/conch/"}
	err := filepath.WalkDir(q.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		inside, err := filepath.Rel(q.dir, path)
		if !slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(inside, a) }) {
			t.Errorf("a file outside Conch's folders: %s", inside)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

var (
	connects = regexp.MustCompile(`\b(connect|sendto|sendmsg|sendmmsg)\(.*sa_family=`)
	resolves = regexp.MustCompile(`"/etc/(resolv\.conf|hosts|nsswitch\.conf|gai\.conf)"`)
	alters   = regexp.MustCompile(`(O_WRONLY|O_RDWR|O_CREAT|\b(mkdir|mkdirat|rename|renameat2?|link|linkat|symlink|symlinkat|unlink|unlinkat)\()`)
	quoted   = regexp.MustCompile(`"([^"]*)"`)
)

// calls looks at all that was asked of the system.
func (q *quiet) calls(t *testing.T) {
	t.Helper()
	if q.trace == "" {
		return
	}
	trace := q.wholeTrace(t)
	allowed := []string{q.dir + "/home/data/conch", q.dir + "/home/cache/conch", q.dir + "/tmp/", "/dev/", "/proc/self/"}
	for line := range bytes.Lines(trace) {
		call := string(line)
		if connects.MatchString(call) || resolves.MatchString(call) {
			t.Errorf("it speaks to somebody: %s", call)
			continue
		}
		if !alters.MatchString(call) || strings.Contains(call, "= -1 ") {
			continue
		}
		for _, path := range quoted.FindAllStringSubmatch(call, -1) {
			if filepath.IsAbs(path[1]) && !slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(path[1], a) }) {
				t.Errorf("it writes outside Conch's folders: %s", call)
			}
		}
	}
}

// wholeTrace waits until strace, which outlives what it watches by a moment, has written all.
func (q *quiet) wholeTrace(t *testing.T) []byte {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; <-time.After(10 * time.Millisecond) {
		trace, err := os.ReadFile(q.trace)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(trace, []byte("+++ exited with")) || time.Now().After(deadline) {
			if !bytes.Contains(trace, []byte("bind(")) {
				t.Fatalf("strace saw nothing:\n%s", trace[:min(len(trace), 2000)])
			}
			return trace
		}
	}
}
