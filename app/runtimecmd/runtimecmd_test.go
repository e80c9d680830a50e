//go:build unix

package runtimecmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/app/api"
	"conch/app/runtimecmd"
)

// A command that was killed says so in words, with what to do; one that says why it failed is believed.
func TestHowACommandEnded(t *testing.T) {
	for script, want := range map[string]string{
		"kill -KILL $$":                         "its process was stopped in the middle of its work (signal: killed), by a person, or by the system because memory ran out. Close other programs, then try again",
		"ulimit -c 0; kill -ABRT $$":            "its process failed without a word (signal: aborted",
		"echo conch: no such build >&2; exit 1": "no such build",
		"echo 'conch: remove it with `conch runtime remove mine`' >&2; exit 1": "remove it with Remove… in its row",
	} {
		program := filepath.Join(t.TempDir(), "conch")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		p := runtimecmd.Program(program)
		_, listing := p.List(t.Context())
		_, converting := p.Convert(t.Context(), t.TempDir(), func(*api.ConversionEvent) error { return nil })
		for what, err := range map[string]error{"list": listing, "convert": converting} {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s, %s: %v", script, what, err)
			}
		}
	}
}

// A command that does not end is ended, and which one it was is told, with what may help.
func TestCommandThatHangs(t *testing.T) {
	defer runtimecmd.SetLongest(50 * time.Millisecond)()
	program := filepath.Join(t.TempDir(), "conch")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	const want = "`conch runtime list` has not ended within 50ms: a library that it opens, or the disk, may hang. Run it in a terminal to see where"
	if _, err := runtimecmd.Program(program).List(t.Context()); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
}
