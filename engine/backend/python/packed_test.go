//go:build unix

package python_test

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/python"
	"conch/engine/filelock"
	"conch/engine/filelock/filelocktest"
	"conch/engine/tensor"
)

// tells is a model that answers with an environment variable, which the interpreters of these tests set.
const tells = `
import os

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        text = np.array([[os.environ.get("WHICH", "usual").encode()]], np.object_)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", text)]) for _ in requests]
`

// interpreterCalled returns a program that runs Python and says its name.
func interpreterCalled(t *testing.T, name string) string {
	return fmt.Sprintf("#!/bin/sh\nWHICH=%s exec %s \"$@\"\n", name, interpreter(t))
}

// which returns the interpreter that runs a model.
func which(t *testing.T, b *python.Backend, spec backend.Spec) string {
	t.Helper()
	m, err := b.Load(t.Context(), spec)
	if err != nil {
		return err.Error()
	}
	in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	r, err := run(t, in, tensor.Tensor{Name: "IN", Type: tensor.Bytes, Shape: tensor.Shape{1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	return string(r.Outputs[0].Data[4:])
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// pack writes a .tar.gz of one file, whose mode is 0700.
func pack(t *testing.T, path, name, text string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	zip := gzip.NewWriter(f)
	out := tar.NewWriter(zip)
	if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o700, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []interface{ Close() error }{out, zip, f} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The environment that the config names comes before that in the model's folder, and this before the usual interpreter.
func TestInterpreters(t *testing.T) {
	b := newBackend(t)
	spec := specOf(t, tells, flat(tensor.Bytes))
	wants := func(want, environment string) {
		t.Helper()
		spec.Config.Parameters = map[string]*modelconfig.ModelParameter{}
		if environment != "" {
			spec.Config.Parameters["EXECUTION_ENV_PATH"] = &modelconfig.ModelParameter{StringValue: environment}
		}
		if got := which(t, b, spec); got != want {
			t.Errorf("%s runs it, want %s", got, want)
		}
	}
	wants("usual", "")
	put(t, filepath.Join(spec.ModelDir, ".venv", "bin", "python3"), interpreterCalled(t, "own"))
	wants("own", "")
	put(t, filepath.Join(spec.ModelDir, "env", "bin", "python3"), interpreterCalled(t, "folder"))
	wants("folder", "$$TRITON_MODEL_DIRECTORY/env")
	pack(t, filepath.Join(spec.ModelDir, "env.tar.gz"), "bin/python3", interpreterCalled(t, "packed"))
	wants("packed", "$$TRITON_MODEL_DIRECTORY/env.tar.gz")
	pack(t, filepath.Join(spec.ModelDir, "env.tar.gz"), "bin/python3", interpreterCalled(t, "newer"))
	wants("newer", "$$TRITON_MODEL_DIRECTORY/env.tar.gz")
	wants("Failed to get the canonical path for /no/such.tar.gz.", "/no/such.tar.gz")
	pack(t, filepath.Join(spec.ModelDir, "below.tar.gz"), "myenv/bin/python3", interpreterCalled(t, "below"))
	spec.Config.Parameters["EXECUTION_ENV_PATH"] = &modelconfig.ModelParameter{StringValue: "$$TRITON_MODEL_DIRECTORY/below.tar.gz"}
	if got := which(t, b, spec); !strings.Contains(got, "has no bin/python3; its folder myenv has one. Pack what is in that folder, or name it") {
		t.Errorf("an archive with a folder on top: %s", got)
	}
	pack(t, filepath.Join(spec.ModelDir, "evil.tar.gz"), "../../out", "x")
	spec.Config.Parameters["EXECUTION_ENV_PATH"] = &modelconfig.ModelParameter{StringValue: "$$TRITON_MODEL_DIRECTORY/evil.tar.gz"}
	if got := which(t, b, spec); !strings.Contains(got, "path escapes") {
		t.Errorf("an archive that leads out of its folder: %s", got)
	}
}

// An environment that is cut off, or is no .tar.gz, is said to be damaged, with its file and what to do. What it holds before the damage does not stay.
func TestDamagedPackedEnvironment(t *testing.T) {
	dir := t.TempDir()
	b := python.New(python.Options{Interpreter: interpreter(t), Dir: dir, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = b.Close() })
	spec, _ := packedSpec(t, dir)
	archive := spec.Config.Parameters["EXECUTION_ENV_PATH"].StringValue
	whole, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"empty": nil, "cut off in its header": whole[:5], "cut off": whole[:len(whole)/2], "no archive": []byte("PK, or so it seems"),
	} {
		if err := os.WriteFile(archive, content, 0o600); err != nil {
			t.Fatal(err)
		}
		want := "model '" + spec.Name + "': its environment " + archive + " is damaged or no .tar.gz file ("
		got := which(t, b, spec)
		if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "). Pack it again, or copy it again") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "environment-*[0-9a-f]")); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

// packedSpec is a model with a packed environment, which a backend unpacks to the folder that is returned.
func packedSpec(t *testing.T, dir string) (spec backend.Spec, environment string) {
	t.Helper()
	spec = specOf(t, tells, flat(tensor.Bytes))
	archive := filepath.Join(spec.ModelDir, "env.tar.gz")
	pack(t, archive, "bin/python3", interpreterCalled(t, "packed"))
	spec.Config.Parameters = map[string]*modelconfig.ModelParameter{"EXECUTION_ENV_PATH": {StringValue: archive}}
	content, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	return spec, filepath.Join(dir, fmt.Sprintf("environment-%x", sha256.Sum256(content))[:len("environment-")+32])
}

// Two servers that unpack one archive share the result: the second waits for the first. What a killed one left is removed, what another
// one unpacks just then is not.
func TestPackedByTwoAtOnce(t *testing.T) {
	dir := t.TempDir()
	b := python.New(python.Options{Interpreter: interpreter(t), Dir: dir, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = b.Close() })
	spec, environment := packedSpec(t, dir)
	told := make(chan string, 10)
	spec.Progress = func(text string) { told <- text }

	half, old, busy := halfPacked(t, environment), halfPacked(t, filepath.Join(dir, "environment-old")), halfPacked(t, filepath.Join(dir, "environment-busy"))
	makeOld(t, old)
	other, ran := filelocktest.Lock(t, environment+".lock"), make(chan string)
	go func() { ran <- which(t, b, spec) }()
	select {
	case text := <-told:
		if text != "waiting for another load that unpacks an environment" {
			t.Errorf("people are told: %s", text)
		}
	case got := <-ran:
		t.Fatalf("it did not wait, and %s runs it", got)
	}
	put(t, filepath.Join(environment, "bin", "python3"), interpreterCalled(t, "other"))
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-ran; got != "other" {
		t.Errorf("%s runs it", got)
	}
	if err := os.RemoveAll(environment); err != nil {
		t.Fatal(err)
	}
	if got := which(t, b, spec); got != "packed" {
		t.Errorf("%s runs it", got)
	}
	for left, want := range map[string]bool{half: false, old: false, busy: true} {
		if _, err := os.Stat(left); (err == nil) != want {
			t.Errorf("%s is there: %v", filepath.Base(left), err == nil)
		}
	}
}

// halfPacked leaves half an environment as a killed process of this machine does.
func halfPacked(t *testing.T, environment string) string {
	t.Helper()
	turn, err := filelock.Take(t.Context(), environment+".lock", func() { t.Error("it is locked") })
	if err != nil {
		t.Fatal(err)
	}
	defer turn.End()
	half, err := turn.Folder(filepath.Dir(environment), filepath.Base(environment)+"-*.new")
	if err != nil {
		t.Fatal(err)
	}
	return half
}

// makeOld has nobody have touched a folder for a day.
func makeOld(t *testing.T, path string) {
	t.Helper()
	yesterday := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(path, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
}

// On a disk without locks an environment is unpacked as well. What another process unpacks there just then is left alone, until it is
// a day old. The same process unpacks one at a time.
func TestPackedWhereNothingCanBeLocked(t *testing.T) {
	for _, absent := range []error{syscall.ENOLCK, syscall.EOPNOTSUPP} {
		dir := t.TempDir()
		b := python.New(python.Options{Interpreter: interpreter(t), Dir: dir, Log: slog.New(slog.DiscardHandler)})
		t.Cleanup(func() { _ = b.Close() })
		filelocktest.Fails(t, absent)
		spec, environment := packedSpec(t, dir)
		spec.Progress = func(text string) {
			if text == "waiting for another load that unpacks an environment" {
				t.Error("it waits for nobody")
			}
		}
		others := []string{halfPacked(t, environment), halfPacked(t, filepath.Join(dir, "environment-0"))}
		makeOld(t, halfPacked(t, filepath.Join(dir, "environment-1")))
		if got := which(t, b, spec); got != "packed" {
			t.Fatalf("%v: %s runs it", absent, got)
		}
		slices.Sort(others)
		if left, err := filepath.Glob(filepath.Join(dir, "*.new")); err != nil || !slices.Equal(left, others) {
			t.Errorf("%v: left are %v, %v", absent, left, err)
		}
	}
}

// A lock that fails for another reason is told.
func TestPackedWithoutItsLock(t *testing.T) {
	dir := t.TempDir()
	b := python.New(python.Options{Interpreter: interpreter(t), Dir: dir, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = b.Close() })
	filelocktest.Fails(t, syscall.EMFILE)
	spec, _ := packedSpec(t, dir)
	if got := which(t, b, spec); !strings.HasSuffix(got, syscall.EMFILE.Error()) {
		t.Errorf("it cannot take the lock, and %s runs it", got)
	}
}

// Where locks do nothing, as on some disks of a network, what another server has unpacked meanwhile is used.
func TestUnpackedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	there, unpacked := filepath.Join(dir, "environment"), filepath.Join(dir, "environment.new")
	put(t, filepath.Join(there, "bin", "python3"), "other")
	put(t, filepath.Join(unpacked, "bin", "python3"), "own")
	if err := python.PutInPlace(unpacked, there); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(there, "bin", "python3")); err != nil || string(text) != "other" {
		t.Errorf("%s, %v", text, err)
	}
	if err := python.PutInPlace(filepath.Join(dir, "none"), filepath.Join(dir, "nowhere")); err == nil {
		t.Error("what is not there is in place")
	}
}

// Without a home the environments are in the folder for temporary files. One that somebody else may have put there is not run.
func TestPackedWithoutAHome(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	b := python.New(python.Options{Interpreter: interpreter(t), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = b.Close() })
	spec := specOf(t, tells, flat(tensor.Bytes))
	pack(t, filepath.Join(spec.ModelDir, "env.tar.gz"), "bin/python3", interpreterCalled(t, "packed"))
	spec.Config.Parameters = map[string]*modelconfig.ModelParameter{"EXECUTION_ENV_PATH": {StringValue: "$$TRITON_MODEL_DIRECTORY/env.tar.gz"}}
	if got := which(t, b, spec); got != "packed" {
		t.Fatalf("%s runs it", got)
	}
	found, err := filepath.Glob(filepath.Join(os.TempDir(), "conch-python-*", "environment-*", "bin", "python3"))
	if err != nil || len(found) != 1 {
		t.Fatalf("it is unpacked in %s, %v", found, err)
	}
	put(t, found[0], interpreterCalled(t, "planted"))
	if err := os.Chmod(filepath.Dir(filepath.Dir(filepath.Dir(found[0]))), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := which(t, b, spec); got != "packed" {
		t.Errorf("%s runs it", got)
	}
}

// An environment that the config names is activated first, which may set variables; why that fails is told.
func TestActivation(t *testing.T) {
	spec := specOf(t, tells, flat(tensor.Bytes))
	spec.Config.Parameters = map[string]*modelconfig.ModelParameter{"EXECUTION_ENV_PATH": {StringValue: "$$TRITON_MODEL_DIRECTORY/env"}}
	put(t, filepath.Join(spec.ModelDir, "env", "bin", "python3"), fmt.Sprintf("#!/bin/sh\nexec %s \"$@\"\n", interpreter(t)))
	script := filepath.Join(spec.ModelDir, "env", "bin", "activate")
	put(t, script, "export WHICH=activated\n")
	if got := which(t, newBackend(t), spec); got != "activated" {
		t.Errorf("%s runs it", got)
	}
	put(t, script, "echo no such drive >&2\nreturn 3\n")
	m, err := newBackend(t).Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0"}); err == nil || !strings.Contains(err.Error(), "exit status 3; its last lines: no such drive") {
		t.Errorf("an activation that fails: %v", err)
	}
}

// Without an interpreter, or with one that lacks NumPy, the error says what to do.
func TestNoInterpreter(t *testing.T) {
	spec := specOf(t, tells, flat(tensor.Bytes))
	t.Setenv("PATH", t.TempDir())
	b := python.New(python.Options{Dir: t.TempDir()})
	if got := b.Trouble(); !strings.Contains(got, "python3 was not found on PATH: install Python 3.9 or newer with NumPy") {
		t.Errorf("trouble: %s", got)
	}
	if _, err := b.Load(t.Context(), spec); err == nil || !strings.Contains(err.Error(), "model 'm' needs Python: python3 was not found on PATH") {
		t.Errorf("load: %v", err)
	}
	bare := filepath.Join(t.TempDir(), "python3")
	put(t, bare, fmt.Sprintf("#!/bin/sh\nexec %s -S \"$@\"\n", interpreter(t)))
	m, err := python.New(python.Options{Interpreter: bare, Dir: t.TempDir()}).Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0"}); err == nil || !strings.HasPrefix(err.Error(), "Python models need NumPy, and ") {
		t.Errorf("without NumPy: %v", err)
	}
}
