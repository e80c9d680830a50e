package watch

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/build/golden"
)

// TestSettle runs the scripts in testdata against the settler, with a made-up
// clock and made-up files. A line is a time and what happens then:
//
//	20ms write PATH SIZE     a file is written to and an event comes
//	20ms grow PATH SIZE      a file is written to, without an event
//	20ms event PATH          an event comes, nothing else
//	20ms mkdir PATH          a folder appears
//	20ms fresh PATH SIZE     a file is found in a new folder
//	20ms rm PATH             a file goes
//	20ms lost                events are lost
//	20ms until 3s step 100ms write PATH SIZE    again and again, SIZE more each time
//
// Sizes may end in M. The output is what the settler lets out, and when.
func TestSettle(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, c *golden.Case) { c.Want(simulate(t, c.Text(t, "script"))) })
}

// world is what a script makes believe.
type world struct {
	t       *testing.T
	start   time.Time
	now     time.Time
	files   map[string]look
	settler *settler
	out     strings.Builder
}

func simulate(t *testing.T, script string) string {
	w := &world{t: t, start: time.Unix(0, 0), files: map[string]look{}}
	w.settler = newSettler([]string{"/r", "/s"}, LocalTiming(), func(path string) look { return w.files[path] })
	type step struct {
		at    time.Duration
		words []string
	}
	var steps []step
	for line := range strings.Lines(script) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		at := w.duration(words[0])
		if words[1] != "until" {
			steps = append(steps, step{at, words[1:]})
			continue
		}
		for end, by := w.duration(words[2]), w.duration(words[4]); at <= end; at += by {
			steps = append(steps, step{at, words[5:]})
		}
	}
	for i, s := range steps {
		if i > 0 && s.at < steps[i-1].at {
			t.Fatalf("%v comes after %v", s.at, steps[i-1].at)
		}
		w.advance(w.start.Add(s.at))
		w.do(s.words)
	}
	w.advance(w.start.Add(time.Hour))
	return w.out.String()
}

// advance lets time pass, and the settler work whenever it wants to.
func (w *world) advance(to time.Time) {
	for {
		next, ok := w.settler.next()
		if !ok || next.After(to) {
			break
		}
		w.now = next
		c := w.settler.settle(w.now)
		if c.Full {
			fmt.Fprintf(&w.out, "%v full, busy %v\n", w.now.Sub(w.start), w.settler.busy())
		}
		for _, path := range c.Paths {
			fmt.Fprintf(&w.out, "%v %s\n", w.now.Sub(w.start), path)
		}
	}
	w.now = to
}

func (w *world) do(words []string) {
	if words[0] == "lost" {
		w.settler.touch(w.now, raw{full: true})
		return
	}
	path := words[1]
	e := raw{path: path}
	switch words[0] {
	case "write", "grow", "fresh":
		was := w.files[path]
		w.files[path] = look{exists: true, size: was.size + w.size(words[2]), modTime: w.now.UnixNano()}
		e.fresh = words[0] == "fresh"
	case "mkdir":
		w.files[path] = look{exists: true, dir: true}
		e.dir, e.fresh = true, true
	case "rm":
		delete(w.files, path)
	case "event":
	default:
		w.t.Fatalf("unknown word %q", words[0])
	}
	if words[0] != "grow" {
		w.settler.touch(w.now, e)
	}
}

func (w *world) duration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	check(w.t, err)
	return d
}

func (w *world) size(s string) int64 {
	digits, mega := strings.CutSuffix(s, "M")
	n, err := strconv.ParseInt(digits, 10, 64)
	check(w.t, err)
	if mega {
		n <<= 20
	}
	return n
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
