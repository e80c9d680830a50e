// Package lastwords keeps what a process printed last, and says from it why the process failed. It starts none.
package lastwords

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
)

// Buffer keeps the end of what a command prints. It has no other way in than Write: a buffer that reads by itself has no bound.
type Buffer struct{ kept bytes.Buffer }

const keptBytes = 64 << 10

// Write takes text. A command writes from one goroutine.
func (b *Buffer) Write(p []byte) (int, error) {
	if b.kept.Len() > keptBytes {
		b.kept.Next(b.kept.Len() - keptBytes/2)
	}
	b.kept.Write(p[max(0, len(p)-keptBytes):])
	return len(p), nil
}

func (b *Buffer) String() string { return b.kept.String() }

const (
	// most is how many lines of a process that failed are repeated.
	most = 3
	// longest is how many bytes of such a line are repeated.
	longest = 300
)

// Of is what a process said before it failed, or else how it ended, to be put behind a sentence. Where Go tells of a crash, what follows is for
// programmers. It is UTF-8, whatever the process wrote: messages take nothing else.
func Of(said string, err error) string {
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.ToValidUTF8(strings.TrimSpace(line), "\uFFFD"); len(line) > longest {
			lines = append(lines, strings.ToValidUTF8(line[:longest], "")+"…")
		} else if line != "" {
			lines = append(lines, line)
		}
		if strings.HasPrefix(line, "SIG") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "panic: ") {
			break
		}
	}
	var ended *exec.ExitError
	switch {
	case len(lines) > 0:
		return ": " + strings.Join(lines[max(0, len(lines)-most):], "; ")
	case errors.As(err, &ended):
		return " (" + ended.Error() + ")"
	}
	return ""
}
