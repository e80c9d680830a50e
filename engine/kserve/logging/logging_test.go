package logging_test

import (
	"bytes"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"conch/engine/kserve/logging"
)

func TestLinesAndSettings(t *testing.T) {
	var out bytes.Buffer
	l := logging.New(&out, logging.Setting{Info: true, Error: true, Format: logging.Default})
	log := slog.New(l.Handler()).With("model", "a b").WithGroup("g")
	log.Info("it \"serves\"", "n", 1)
	log.Warn("not told")
	log.Debug("not told either")
	yes, verbose, format := true, uint32(1), "ISO8601"
	if _, err := l.Update(&logging.Change{Warning: &yes, Verbose: &verbose, Format: &format}); err != nil {
		t.Fatal(err)
	}
	log.Warn("told")
	log.Debug("told too")
	log.Error("oh")
	want := regexp.MustCompile(`^I\d{4} \d\d:\d\d:\d\d\.\d{6} \d+ conch\] "it \\"serves\\"" model="a b" g\.n=1
\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ W \d+ conch\] "told" model="a b"
\S+Z V \d+ conch\] "told too" model="a b"
\S+Z E \d+ conch\] "oh" model="a b"
$`)
	if !want.Match(out.Bytes()) {
		t.Errorf("log:\n%s", out.String())
	}
	unheard := "foo"
	if _, err := l.Update(&logging.Change{Format: &unheard}); err == nil {
		t.Error("an unheard format was taken")
	}
	if l.Get().Format != logging.ISO8601 {
		t.Error("a refused change changed something")
	}
}

// Names from a repository cannot move a terminal's cursor, and cannot start a new line.
func TestLinesGiveNoCommands(t *testing.T) {
	const bad = "x\n::error::y\x1b[2J\u009b31m\u202egpj\r\u2028\xff"
	for _, format := range []logging.Format{logging.Default, logging.ISO8601} {
		var out bytes.Buffer
		log := slog.New(logging.New(&out, logging.Setting{Info: true, Format: format}).Handler())
		log.With("model", bad).WithGroup("g").Info(bad, "error", errors.New(bad), "path", bad)
		line := strings.TrimSuffix(out.String(), "\n")
		if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) || strings.Count(line, "::error::") != 4 {
			t.Errorf("%q", line)
		}
	}
}
