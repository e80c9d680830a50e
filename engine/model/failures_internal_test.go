package model

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/infer"
	"conch/engine/lastwords"
)

// TestFailuresInLog: a request that fails has a line with its error and its ID. Of a flood the first have one, and the
// others are counted in one line when the window ends; then there are lines again.
func TestFailuresInLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		f := &failures{log: slog.New(slog.NewTextHandler(&out, nil))}
		f.add("r1", errors.New("ValueError: negative"))
		if text := out.String(); !strings.Contains(text, `msg="a request failed" error="ValueError: negative" request=r1`) {
			t.Errorf("logged %q", text)
		}
		f.add("r2", infer.Errorf(infer.Internal, "Stub process 'm_0' is not healthy. %s", "Its process was ended by signal 11"+lastwords.Between+"Fatal Python error\n  File \"model.py\", line 3"))
		if text := out.String(); !strings.Contains(text, `error="Stub process 'm_0' is not healthy. Its process was ended by signal 11" request=r2`) || strings.Contains(text, "Fatal") {
			t.Errorf("what the process wrote itself is in the log again: %q", text)
		}
		for range 99_999 {
			f.add("", errors.New("ValueError: negative"))
		}
		for i := range 100 {
			f.add("", fmt.Errorf("another error %d", i))
		}
		time.Sleep(failureWindow + time.Millisecond)
		synctest.Wait()
		text := out.String()
		if n := strings.Count(text, "\n"); n != linesAWindow+1 || strings.Count(text, "negative") != linesAlike {
			t.Errorf("%d lines:\n%s", n, text)
		}
		if want := fmt.Sprint(100_101-linesAWindow, " more requests failed within 10 seconds"); !strings.Contains(text, want) {
			t.Errorf("no line has %q:\n%s", want, text)
		}
		out.Reset()
		f.add("", errors.New(strings.Repeat("ä", longestFailure)))
		if text := out.String(); len(text) > longestFailure+200 || !strings.Contains(text, "ä…") {
			t.Errorf("a long error has %d bytes", len(text))
		}
		time.Sleep(failureWindow + time.Millisecond)
		synctest.Wait()
		if n := strings.Count(out.String(), "\n"); n != 1 {
			t.Errorf("%d lines of a window with one failure", n)
		}
	})
}
