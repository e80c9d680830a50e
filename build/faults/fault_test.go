package faults_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var total = flag.Duration("faults", time.Minute, "how long the fault tests of this run take together, about")

// share is what each of them has of it.
var share time.Duration

// divide returns each test that is going to run the same share. A test binary does not know its own tests, but lists them.
func divide() error {
	pattern := flag.Lookup("test.run").Value.String()
	if pattern == "" {
		pattern = "."
	}
	list, err := exec.Command(os.Args[0], "-test.list="+pattern).Output()
	if err != nil {
		return fmt.Errorf("list the fault tests: %w", err)
	}
	tests := strings.Count("\n"+string(list), "\nTest")
	share = *total / time.Duration(max(tests, 1))
	return nil
}

// lists reports whether this run is that of divide, which runs nothing.
func lists() bool { return flag.Lookup("test.list").Value.String() != "" }

// fault is one test's account: what it threw at the program, and what was lost by it.
type fault struct {
	t   *testing.T
	end time.Time

	mu     sync.Mutex // guards what follows
	thrown map[string]int
	lost   []string
	notes  []string
}

// reports are the lines that the run ends with.
var reports struct {
	sync.Mutex
	lines []string
}

// begin opens the account of a test, whose time begins now. The account is printed when the run ends.
func begin(t *testing.T) *fault {
	f := &fault{t: t, end: time.Now().Add(share), thrown: map[string]int{}}
	t.Cleanup(f.close)
	return f
}

// rounds counts from 1 until the time is up, but to least at least, and no further once the test has failed.
func (f *fault) rounds(least int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := 1; (n <= least || time.Now().Before(f.end)) && !f.t.Failed(); n++ {
			if !yield(n) {
				return
			}
		}
	}
}

// time is a context that ends with the test's time.
func (f *fault) time() (context.Context, context.CancelFunc) {
	return context.WithDeadline(f.t.Context(), f.end)
}

// throw counts something that was done to the program: a change, a kill, a request.
func (f *fault) throw(what string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.thrown[what] += n
}

// note adds to the report: how long something took.
func (f *fault) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// lose fails the test: the program lost something that it promises to keep.
func (f *fault) lose(format string, args ...any) {
	f.t.Helper()
	what := fmt.Sprintf(format, args...)
	f.mu.Lock()
	f.lost = append(f.lost, what)
	f.mu.Unlock()
	f.t.Errorf("lost: %s", what)
}

// close prints the account. A test that threw nothing has proved nothing.
func (f *fault) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	var thrown []string
	for _, what := range slices.Sorted(maps.Keys(f.thrown)) {
		thrown = append(thrown, fmt.Sprintf("%d %s", f.thrown[what], what))
	}
	if len(thrown) == 0 && !f.t.Failed() {
		f.t.Error("nothing was thrown")
	}
	lost := "nothing"
	switch {
	case len(f.lost) > 0:
		lost = fmt.Sprintf("%d: %s", len(f.lost), f.lost[0])
	case f.t.Failed():
		lost = "the test failed"
	}
	line := fmt.Sprintf("faults: %s\n  thrown: %s\n", f.t.Name(), strings.Join(thrown, ", "))
	for _, note := range f.notes {
		line += "  " + note + "\n"
	}
	reports.Lock()
	defer reports.Unlock()
	reports.lines = append(reports.lines, line+"  lost: "+lost+"\n")
}

// report prints all accounts.
func report(w io.Writer) {
	reports.Lock()
	defer reports.Unlock()
	for _, line := range reports.lines {
		fmt.Fprint(w, line)
	}
}
