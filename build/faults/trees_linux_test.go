package faults_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/engine/kserve/kservepb"
)

// TestOddTrees puts into a repository what is not a model: links to the root of the system, folders of links that make 10^15
// paths, pipes in place of files, names that are not UTF-8. The model beside it keeps answering, the index can be read by
// any client, and a signal ends the server.
func TestOddTrees(t *testing.T) {
	f := begin(t)
	for n := range f.rounds(2) {
		repository := t.TempDir()
		write(t, repository, "m/1/model.onnx", adder(7))
		s := serve(t, repository, "--model-control-mode=poll", "--repository-poll-secs=1")
		for name, make := range oddTrees {
			if err := make(filepath.Join(repository, fmt.Sprintf("%s%d", name, n))); err != nil {
				t.Fatal(err)
			}
			f.throw("odd trees", 1)
			if got, err := s.add(t.Context(), "m", 1); err != nil || got != 7 {
				f.lose("beside %s, m answers %d, %v", name, got, err)
			}
			if _, err := s.RepositoryIndex(t.Context(), &kservepb.RepositoryIndexRequest{}); err != nil {
				f.lose("beside %s, the index is %v", name, err)
			}
		}
		s.untilIndexed(t, fmt.Sprintf(`caf\xe9%d`, n))
		if got, err := s.add(t.Context(), "m", 1); err != nil || got != 7 {
			f.lose("beside all of them, m answers %d, %v", got, err)
		}
		s.quiet(t)
		signalled := time.Now()
		s.end(t)
		if took := time.Since(signalled); took > promptEnd {
			t.Errorf("it took %v to end", took)
		}
	}
}

// quiet checks that an engine needs next to nothing of a processor, while links in it lead
// to where all programs of this machine write.
func (s *server) quiet(t *testing.T) {
	t.Helper()
	share := 1.0
	for end := time.Now().Add(time.Minute); share > mostIdle && time.Now().Before(end); {
		begun, before := time.Now(), s.processor(t)
		<-time.After(5 * time.Second) // what is measured: some polls, and no more of what went before
		share = float64(s.processor(t)-before) / float64(time.Since(begun))
	}
	if share > mostIdle {
		t.Errorf("it takes %.1f %% of a processor to watch the repository", 100*share)
	}
}

// processor is the time that the engine has had on processors.
func (s *server) processor(t *testing.T) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name before it may hold anything
	fields := strings.Fields(rest)
	var ticks int64
	for _, field := range fields[11:13] { // utime and stime of proc(5), in hundredths of a second
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// untilIndexed waits until the index has a model.
func (s *server) untilIndexed(t *testing.T, name string) {
	t.Helper()
	limit := time.Now().Add(time.Minute)
	for time.Now().Before(limit) {
		index, err := s.RepositoryIndex(t.Context(), &kservepb.RepositoryIndexRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range index.Models {
			if m.Name == name {
				return
			}
		}
	}
	t.Fatalf("%s is not in the index\n%s", name, s.log.tail())
}

// promptEnd is how long an end may take, and mostIdle the share of a processor of an engine that looks at a repository
// once a second. An engine that follows such links needs 20 s and half a processor.
const (
	promptEnd = 2 * time.Second
	mostIdle  = 0.10
)

// oddTrees make a folder, or what should be one.
var oddTrees = map[string]func(dir string) error{
	"root":  func(dir string) error { return os.Symlink("/", dir) },
	"inner": withRoot,
	"self":  func(dir string) error { return os.Symlink(".", dir) },
	"pipe":  func(dir string) error { return withPipe(dir, "config.pbtxt") },
	"file":  func(dir string) error { return withPipe(dir, "1/model.onnx") },
	"chain": chained,
	"caf\xe9": func(dir string) error {
		if err := os.MkdirAll(filepath.Join(dir, "1", "deep\xff"), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "config.pbtxt"), []byte("backend: \"onnxruntime\"\n"), 0o644)
	},
}

// withRoot makes a model with a link to the root of the system in its version.
func withRoot(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "1"), 0o755); err != nil {
		return err
	}
	return os.Symlink("/", filepath.Join(dir, "1", "root"))
}

func withPipe(dir, name string) error {
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
		return err
	}
	return syscall.Mkfifo(filepath.Join(dir, name), 0o644)
}

// chained makes nine folders of eighty links each to the next.
func chained(dir string) error {
	for i := range 9 {
		inner := filepath.Join(dir, "1", fmt.Sprint("d", i))
		if err := os.MkdirAll(inner, 0o755); err != nil {
			return err
		}
		for j := range 80 {
			if err := os.Symlink(fmt.Sprint("../d", (i+1)%9), filepath.Join(inner, fmt.Sprint("l", j))); err != nil {
				return err
			}
		}
	}
	return nil
}
