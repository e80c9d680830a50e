package runtimes_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"conch/engine/backend/onnx/runtimes"
)

// What has the name of a build that is here, and is another one, is not called installed: neither by its content nor by a file more.
func TestAnotherBuildOfTheSameName(t *testing.T) {
	s, from := storeIn(t.TempDir(), probeQuick), folderOf(t, "library")
	if _, err := s.Install(t.Context(), quiet(from)); err != nil {
		t.Fatal(err)
	}
	more := folderOf(t, "library")
	if err := os.WriteFile(filepath.Join(more, "libonnxruntime_providers_cuda.so"), []byte("cuda"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]string{"another library": folderOf(t, "LIBRARY"), "longer": folderOf(t, "library and more"), "a file more": more} {
		want := "mine-1.30.0 is here already, and it is another build: it was taken from " + from + ". Remove it first with `conch runtime remove mine-1.30.0`"
		if done, err := s.Install(t.Context(), quiet(other)); err == nil || done.Before || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
		nothingLeft(t, s, 1)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(s.List()[0].Library), ".new-1"), []byte("{"), 0o600); err != nil { // a process was killed while it wrote
		t.Fatal(err)
	}
	if again, err := s.Install(t.Context(), quiet(folderOf(t, "library"))); err != nil || !again.Before {
		t.Errorf("the same one: %+v, %v", again, err)
	}
}

// A build with which no published hash was compared says so, also later, and what is published is not taken for it.
func TestNothingVouchesForABuild(t *testing.T) {
	s, from := storeIn(t.TempDir(), probeQuick), folderOf(t, "library")
	w := quiet(from)
	w.Offer.Name = "cpu"
	done, err := s.Install(t.Context(), w)
	if err != nil || !strings.HasPrefix(done.Build.Doubt(), "no published hash was compared with "+from+": ") {
		t.Fatalf("%q, %v", done.Build.Doubt(), err)
	}
	if list := s.List(); len(list) != 1 || list[0].Doubt() != done.Build.Doubt() {
		t.Errorf("%+v", list)
	}
	offer, err := runtimes.OfferOf("cpu")
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Install(t.Context(), runtimes.Wanted{Offer: offer, Tell: func(string) {}})
	if err == nil || again.Before || !strings.Contains(err.Error(), "To download the published one, remove it first with `conch runtime remove cpu-1.30.0`") {
		t.Errorf("%+v, %v", again, err)
	}
	for name, parts := range map[string][]part{"onnxruntime_gpu-1.30.0-cp311-cp311-manylinux_2_28_x86_64.whl": aWheel(), "onnxruntime-1.30.0-py3-none-any.whl": aWheel()} {
		done, err := storeIn(t.TempDir(), probeQuick).Install(t.Context(), quiet(writeWheelAs(t, strings.Split(name, "-")[0], name, parts)))
		if err != nil || !slices.Equal(done.Build.Unproven, []string{name}) {
			t.Errorf("%s: %q, %v", name, done.Build.Unproven, err)
		}
	}
}

// A process that asks a library and is stopped from outside says nothing about the library.
func TestAskingIsStopped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process that was stopped looks there like one that failed")
	}
	s, from := storeIn(t.TempDir(), probeQuick), folderOf(t, "library")
	if _, err := s.Install(t.Context(), quiet(from)); err != nil {
		t.Fatal(err)
	}
	s.Probe = storeIn("", probeKilled).Probe
	_, installing := s.Install(t.Context(), quiet(from))
	_, _, choosing := s.Use(t.Context(), "mine")
	for words, err := range map[string]error{
		"the ONNX Runtime in " + from + " was not installed: the process that opened " + runtimes.LibraryName() + " was stopped before it could say what that is (signal: killed)": installing,
		"mine-1.30.0 is not chosen: the process that opened ": choosing,
	} {
		if err == nil || !strings.HasPrefix(err.Error(), words) || !strings.Contains(err.Error(), "memory ran out") {
			t.Errorf("%v does not say %q", err, words)
		}
	}
	nothingLeft(t, s, 1)
}

// A build that another process removes while it is being chosen is not chosen: engines would find none.
func TestRemovedWhileItIsChosen(t *testing.T) {
	s := storeIn(t.TempDir(), probeQuick)
	if _, err := s.Install(t.Context(), quiet(folderOf(t, "library"))); err != nil {
		t.Fatal(err)
	}
	ask, other := s.Probe, storeIn(s.Dir, probeQuick)
	s.Probe = func(ctx context.Context, library string) *exec.Cmd {
		if _, err := other.Remove(ctx, "mine"); err != nil {
			t.Error(err)
		}
		return ask(ctx, library)
	}
	if _, _, err := s.Use(t.Context(), "mine"); err == nil || err.Error() != "mine-1.30.0 was removed while it was being chosen" {
		t.Error(err)
	}
	if id, err := s.ChosenID(); id != "" || err != nil {
		t.Errorf("%q is chosen, %v", id, err)
	}
}

// An install that ends while a library is asked was stopped, and the library is not blamed.
func TestInstallEndsWhileItAsks(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := storeIn(t.TempDir(), probeQuick)
	ask := s.Probe
	s.Probe = func(ctx context.Context, library string) *exec.Cmd {
		cancel()
		return ask(ctx, library)
	}
	if _, err := s.Install(ctx, quiet(folderOf(t, "library"))); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	nothingLeft(t, s, 0)
}
