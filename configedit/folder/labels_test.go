package folder_test

import (
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

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
		if got, err := folder.Labels(strings.NewReader(text)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := folder.Labels(strings.NewReader(strings.Repeat("\n", folder.MaxLabels+1))); err == nil {
		t.Error("too many lines were read")
	}
	e := &endless{}
	_, err := folder.Labels(e)
	if err == nil || !strings.Contains(err.Error(), "up to 64 MB") || e.read > 2*folder.MaxLabelBytes {
		t.Errorf("%d bytes of a file without end were read: %v", e.read, err)
	}
	if _, err := folder.Labels(io.LimitReader(&endless{}, 1<<20)); err != nil {
		t.Errorf("a long line: %v", err)
	}
}

func TestSpecial(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{0o644: "", fs.ModeDir: "", fs.ModeNamedPipe: "named pipe", fs.ModeSocket: "socket", fs.ModeDevice | fs.ModeCharDevice: "device"} {
		if err := folder.Special(mode); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", mode, err)
		}
	}
}
