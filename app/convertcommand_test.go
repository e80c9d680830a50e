//go:build unix

package app_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/app/apptest"
)

// convertCommand is `conch convert` of a model with this name, which is digits.
func convertCommand(t *testing.T, name string) (cmd *exec.Cmd, model string) {
	t.Helper()
	apptest.UsePython(t)
	model = filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(model, os.DirFS("../examples/repository/digits")); err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(apptest.Program(), "convert", model, "--to", "fp16", "--no-history")
	cmd.Env = append(os.Environ(), "CONCH_DATA_DIR="+t.TempDir())
	return cmd, model
}

// TestKilledConversion: when the process that asked for a conversion is killed, the one that converts ends, with its tools, though they say nothing.
func TestKilledConversion(t *testing.T) {
	cmd, model := convertCommand(t, "digits")
	told := filepath.Join(t.TempDir(), "pid")
	if err := syscall.Mkfifo(told, 0o600); err != nil {
		t.Fatal(err)
	}
	// This Python never ends once it converts.
	slow := filepath.Join(t.TempDir(), "python3")
	script := "#!/bin/sh\ncase \"$*\" in *code-*) echo $$ > " + told + "; exec sleep 3600;; esac\nexec python3 \"$@\"\n"
	if err := os.WriteFile(slow, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, "CONCH_PYTHON="+slow)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		if f, err := os.OpenFile(told, os.O_RDWR, 0); err == nil { // nobody waits for the tool any more
			_ = f.Close()
		}
		close(ended)
	}()
	text, err := os.ReadFile(told) // waits until it converts
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	_ = cmd.Process.Kill()
	<-ended
	for end := time.Now().Add(time.Minute); syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the tool goes on after the process that asked for it was killed")
		}
	}
	if _, err := os.Stat(filepath.Join(model, "2")); err == nil {
		t.Error("a version was written")
	}
}

// TestHostileNameOfAConvertedModel: the question whether the new version is written shows a name, and gives the terminal no command.
func TestHostileNameOfAConvertedModel(t *testing.T) {
	cmd, _ := convertCommand(t, "evil\x1b[31m")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	if err == nil || !strings.Contains(said.String(), "Write version 2 of evil") || strings.Contains(said.String(), "\x1b") {
		t.Errorf("%v, it said %q", err, said.String())
	}
}
