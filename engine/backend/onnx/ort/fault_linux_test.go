package ort_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/backend/onnx/ort"
)

// The child's environment: the library that fails, and the model to open.
const (
	faultyLibrary = "FAULTY_LIBRARY"
	faultyModel   = "FAULTY_MODEL"
	faultyReport  = "FAULTY_REPORT"
	faultyAt      = "FAULTY_AT"
)

// TestWhatFailsToOpenLeavesNothingOpen: when any call of the API fails on the way from the library to a runner, the error is
// told, all that was made before it is freed, and the next try succeeds. A process has one library, so that each failure of
// Open has a process of its own.
func TestWhatFailsToOpenLeavesNothingOpen(t *testing.T) {
	dir := t.TempDir()
	library, model := filepath.Join(dir, "libfaulty.so"), filepath.Join(dir, "model.onnx")
	compiler := exec.Command("cc", "-shared", "-fPIC", "-I", ".", "-o", library, "testdata/faulty.c", "-ldl")
	if out, err := compiler.CombinedOutput(); err != nil {
		t.Fatalf("compile the faulty library: %v\n%s", err, out)
	}
	if err := os.WriteFile(model, onnxtest.AddSub(16).Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	working := onnxtest.Library(t)
	if info, err := os.Stat(working); err == nil && info.IsDir() {
		working = filepath.Join(working, "libonnxruntime.so.1")
	}
	for at := range openSteps + 2 {
		child := exec.Command(os.Args[0], "-test.run", "^TestFaultyChild$")
		child.Env = append(os.Environ(), faultyLibrary+"="+library, faultyModel+"="+model, faultyReport+"="+filepath.Join(dir, "report"),
			"FAULTY_REAL="+working, faultyAt+"="+strconv.Itoa(at))
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("call %d: %v\n%s", at, err, out)
		}
	}
}

// TestOtherLibrariesAreClosed: a library that is not ONNX Runtime is named in the error and does not stay in the process.
func TestOtherLibrariesAreClosed(t *testing.T) {
	dir := t.TempDir()
	source, library := filepath.Join(dir, "other.c"), filepath.Join(dir, "libother.so")
	if err := os.WriteFile(source, []byte("int other(void) { return 1; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", library, source).CombinedOutput(); err != nil {
		t.Fatalf("compile the library: %v\n%s", err, out)
	}
	_, err := ort.Open(library, ort.Threads{})
	if err == nil || err.Error() != library+" is not ONNX Runtime: it has no OrtGetApiBase" {
		t.Errorf("Open says: %v", err)
	}
	mapped, err := os.ReadFile("/proc/self/maps")
	if err != nil || len(mapped) == 0 {
		t.Fatalf("read what is mapped: %v", err)
	}
	if strings.Contains(string(mapped), library) {
		t.Error("the library is still open")
	}
}

// openSteps are the calls of Open that may fail, the last three of them the Go binding's. 0 lets Open succeed and tries all that comes after it; one more than openSteps
// finds none to fail.
const openSteps = 11

// TestFaultyChild opens the library, or what comes after it.
func TestFaultyChild(t *testing.T) {
	path := os.Getenv(faultyLibrary)
	if path == "" {
		t.Skip("it is a part of TestWhatFailsToOpenLeavesNothingOpen")
	}
	open := os.Getenv(faultyAt) != "0"
	library, err := ort.Open(path, ort.Threads{Intra: 1, Inter: 1})
	failed, held := report(t)
	if os.Getenv(faultyAt) == strconv.Itoa(openSteps+1) {
		if failed != "" {
			t.Fatalf("Open makes more than %d calls, the last of them %s: raise openSteps", openSteps, failed)
		}
		return
	}
	if open {
		if failed == "" || err == nil || !strings.Contains(err.Error(), "injected") || held != "" {
			t.Fatalf("%q failed, Open says %v, and this is held:\n%s", failed, err, held)
		}
		library, err = ort.Open(path, ort.Threads{Intra: 1, Inter: 1}) // the call that fails is over
	}
	if err != nil {
		t.Fatal(err)
	}
	if open {
		if _, held := report(t); held != opened {
			t.Fatalf("after the second try this is held:\n%swant\n%s", held, opened)
		}
		return
	}
	for calls := range 200 {
		t.Setenv(faultyAt, strconv.Itoa(calls+1)) // C sees it too
		err := openSession(library, os.Getenv(faultyModel), 1<<24)
		failed, held := report(t)
		if (failed == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), "injected") {
			t.Errorf("%q failed, and the error is %v", failed, err)
		}
		if held != opened {
			t.Errorf("after %q failed this is held:\n%swant\n%s", failed, held, opened)
		}
		if failed == "" {
			if calls < 30 {
				t.Errorf("found %d calls to fail only", calls)
			}
			return
		}
	}
}

// opened is what an open library holds, for as long as the process lives: Conch and the Go binding one of each. The threads of
// neither spin.
const opened = "environment 2\nmemory info 2\n"

// report is what the faulty library says: which call failed, and what is held.
func report(t *testing.T) (failed, held string) {
	t.Helper()
	text, err := os.ReadFile(os.Getenv(faultyReport))
	if err != nil {
		t.Fatal(err)
	}
	failed, held, _ = strings.Cut(strings.TrimPrefix(string(text), "failed "), "\n")
	return failed, held
}

func openSession(library *ort.Library, model string, limit int64) error {
	options, err := library.NewOptions()
	if err != nil {
		return err
	}
	defer options.Close()
	if err := errors.Join(options.SetLevel(ort.EnableBasic), options.ShareThreads(),
		options.SetEntry("session.use_env_allocators", strconv.FormatBool(limit > 0))); err != nil {
		return err
	}
	session, err := library.NewSession(context.Background(), model, options, limit)
	if err != nil {
		return err
	}
	defer session.Close()
	runner, err := session.NewRunner(map[string]string{"memory.enable_memory_arena_shrinkage": "cpu:0"})
	if err != nil {
		return err
	}
	runner.Close()
	return nil
}
