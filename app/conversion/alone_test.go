package conversion

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Where the user's folder cannot be written, one comparison is still measured at a time, and one that waits can be ended.
func TestAloneWithoutADisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j := &Jobs{Dir: filepath.Join(file, "conversions")}
	said := 0
	step := func(string) error {
		said++
		return nil
	}
	next, err := j.Alone(t.Context(), step)
	if err != nil || said > 0 {
		t.Fatal(err, said)
	}
	given, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.Alone(given, step); !errors.Is(err, context.Canceled) || said != 1 {
		t.Errorf("the second one: %v, told %d times that it waits", err, said)
	}
	gone := errors.New("the window has gone")
	if _, err := j.Alone(t.Context(), func(string) error { return gone }); !errors.Is(err, gone) {
		t.Errorf("one whose window has gone: %v", err)
	}
	next()
	next, err = j.Alone(t.Context(), step)
	if err != nil || said != 1 {
		t.Fatal(err, said)
	}
	next()
}
