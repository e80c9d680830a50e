package folder_test

import (
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"conch/configedit/folder"
)

// endless is a file without end that counts what is read of it.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestLabels(t *testing.T) {
	for text, want := range map[string][]string{
		"":           {""},
		"a\nb\n":     {"a", "b"},
		"a\r\nb":     {"a\r", "b"},
		"a\n\nb\n\n": {"a", "", "b", ""},
	} {
		if got, err := folder.Labels(strings.NewReader(text), folder.MaxLabels); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := folder.Labels(strings.NewReader(strings.Repeat("\n", folder.MaxLabels+1)), 5); err == nil {
		t.Error("too many lines were read")
	}
	e := &endless{}
	_, err := folder.Labels(e, 10)
	if err == nil || !strings.Contains(err.Error(), "up to 64 MiB") || e.read > 2*folder.MaxLabelBytes {
		t.Errorf("%d bytes of a file without end were read: %v", e.read, err)
	}
	if _, err := folder.Labels(io.LimitReader(&endless{}, 1<<20), 1); err != nil {
		t.Errorf("a long line: %v", err)
	}
}

// Labels keeps the first lines, wherever the pieces of a stream end, and counts the others.
func TestLabelsAreReadAsAStream(t *testing.T) {
	text := strings.Repeat("first\nsecond\nthird\n", 20_000)
	for _, keep := range []int{0, 1, 2, 7, 50_000} {
		got, err := folder.Labels(iotest.HalfReader(strings.NewReader(text)), keep)
		if want := strings.Split(strings.TrimSuffix(text, "\n"), "\n")[:keep]; err != nil || !slices.Equal(got, want) {
			t.Errorf("keep %d: %d labels, %v", keep, len(got), err)
		}
	}
}

// What is read of a large file is not kept: 60 MB of labels for ten classes take a buffer.
func TestLabelsTakeLittleMemory(t *testing.T) {
	line := strings.Repeat("x", 99) + "\n"
	file := io.LimitReader(&cycle{text: line}, 60<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lines, err := folder.Labels(file, 10)
	runtime.ReadMemStats(&after)
	if err != nil || len(lines) != 10 {
		t.Fatalf("%d labels, %v", len(lines), err)
	}
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1<<20 {
		t.Errorf("%d bytes of memory were taken", bytes)
	}
}

// cycle is a file that repeats a text for ever.
type cycle struct {
	text string
	at   int
}

func (c *cycle) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = c.text[c.at]
		c.at = (c.at + 1) % len(c.text)
	}
	return len(p), nil
}

func TestSpecial(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{0o644: "", fs.ModeDir: "", fs.ModeNamedPipe: "named pipe", fs.ModeSocket: "socket", fs.ModeDevice | fs.ModeCharDevice: "device"} {
		if err := folder.Special(mode); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", mode, err)
		}
	}
}
