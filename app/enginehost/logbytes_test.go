package enginehost

import (
	"fmt"
	"strings"
	"testing"
)

// TestLogIsBoundedInBytes: many long lines take a bounded amount of memory, and the newest stay.
func TestLogIsBoundedInBytes(t *testing.T) {
	l, long := newLogs(), strings.Repeat("x", maxLine)
	for i := range 1000 {
		l.add(fmt.Sprintf(`{"level":"INFO","model":"m","msg":"%d %s"}`, i, long))
	}
	for _, model := range []string{"", "m"} {
		lines, bytes := l.Lines(model, 0), 0
		for _, line := range lines {
			bytes += len(line.Text)
		}
		if bytes > keepBytes || len(lines) < 100 || !strings.HasPrefix(lines[len(lines)-1].Text, "999 ") {
			t.Errorf("model %q: %d lines with %d bytes", model, len(lines), bytes)
		}
	}
}
