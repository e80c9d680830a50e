package onnx_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/backend/onnx/runtimes"
)

// crashVariable is set in a child process whose library crashes.
const crashVariable = "CONCH_TEST_CRASH"

// The child passes a byte through two pipes, so that it does something while a library is opened.
const (
	crashBegun = 3
	crashGoOn  = 4
	meanwhile  = "#include <unistd.h>\n#include <stdlib.h>\nstatic void wait_for_go(void) { char b = 0; if (write(3, &b, 1) != 1 || read(4, &b, 1) != 1) _exit(9); }\n"
)

// A chosen library that crashes when it is opened ends the process with one line, which names the build and says how to choose another. A panic
// of Go in another thread stays one that can be recovered.
func TestCrashOfTheChosenLibrary(t *testing.T) {
	for how, source := range map[string]string{
		"aborts":           "__attribute__((constructor)) static void f(void) { wait_for_go(); abort(); }",
		"reads nowhere":    "__attribute__((constructor)) static void f(void) { wait_for_go(); *(volatile int *)0 = 1; }",
		"crashes as asked": "const void *OrtGetApiBase(void) { wait_for_go(); __builtin_trap(); }",
	} {
		dir := t.TempDir()
		build := filepath.Join(dir, "conch", "onnxruntime", "builds", "mine-1.30.0")
		library, file := filepath.Join(build, runtimes.LibraryName()), filepath.Join(dir, "source.c")
		err := errors.Join(os.MkdirAll(build, 0o700), os.WriteFile(file, []byte(meanwhile+source), 0o600),
			os.WriteFile(filepath.Join(build, "conch.json"), []byte("{}"), 0o600),
			os.WriteFile(filepath.Join(build, "..", "..", "chosen"), []byte("mine-1.30.0\n"), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", library, file).CombinedOutput(); err != nil {
			t.Fatalf("compile: %v\n%s", err, out)
		}
		begunReads, begunWrites, err := os.Pipe()
		goReads, goWrites, err2 := os.Pipe()
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		child := exec.Command(os.Args[0], "-test.run", "^TestCrashingChild$")
		child.Env = append(os.Environ(), crashVariable+"=yes", "XDG_DATA_HOME="+dir, "TMPDIR="+dir, onnx.LibraryVariable+"=")
		child.ExtraFiles = []*os.File{begunWrites, goReads, begunReads, goWrites}
		var said bytes.Buffer
		child.Stderr = &said
		err = child.Run()
		for _, f := range child.ExtraFiles {
			_ = f.Close()
		}
		want := "a panic was recovered\nconch: the chosen ONNX Runtime \"mine-1.30.0\" crashed when " + library + " was opened. " + runtimes.ChooseAnother + "\n"
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != 1 || said.String() != want {
			t.Errorf("%s: %v\n%.2000s", how, err, said.String())
		}
	}
	if !strings.Contains(runtimes.ChooseAnother, "`conch runtime use bundled`") {
		t.Error(runtimes.ChooseAnother)
	}
}

// TestCrashingChild loads a model, which opens the library. While that is opened, another goroutine panics.
func TestCrashingChild(t *testing.T) {
	if os.Getenv(crashVariable) == "" {
		t.Skip("it is a part of TestCrashOfTheChosenLibrary")
	}
	go func() {
		b := make([]byte, 1)
		_, _ = os.NewFile(crashBegun+2, "begun").Read(b)
		func() {
			defer func() {
				if recover() != nil {
					fmt.Fprintln(os.Stderr, "a panic was recovered")
				}
			}()
			var nowhere *struct{ there int }
			b[0] = byte(nowhere.there)
		}()
		_, _ = os.NewFile(crashGoOn+2, "go on").Write(b)
	}()
	model, err := onnx.New(onnx.Options{}).Load(t.Context(), specOf(t, onnxtest.AddSub(16).Bytes(), nil))
	t.Fatal("nothing crashed", model, err)
}
