package runtimes_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"conch/build/fulldisk"
	"conch/engine/backend/onnx/runtimes"
	"conch/engine/backend/python/environments/wheeltest"
	"conch/engine/filelock"
	"conch/engine/filelock/filelocktest"
)

func TestInstallUseRemove(t *testing.T) {
	s := storeIn(t.TempDir(), probeReal)
	done, err := s.Install(t.Context(), quiet(libraryFolder(t)))
	if err != nil || done.Before || done.Build.ID != "mine-"+done.Report.Version || !strings.HasPrefix(done.Report.Version, "1.") {
		t.Fatalf("%+v, %v", done, err)
	}
	if again, err := s.Install(t.Context(), quiet(libraryFolder(t))); err != nil || !again.Before || again.Build.Library != done.Build.Library {
		t.Errorf("%+v, %v", again, err)
	}
	if _, is, err := s.Chosen(); is || err != nil {
		t.Errorf("chosen without being asked for: %v", err)
	}
	if _, report, err := s.Use(t.Context(), "mine"); err != nil || report.Version != done.Report.Version {
		t.Errorf("%+v, %v", report, err)
	}
	chosen, is, err := s.Chosen()
	if err != nil || !is || chosen.Library != done.Build.Library {
		t.Errorf("%+v, %v, %v", chosen, is, err)
	}

	use, err := s.Hold(chosen.Library)
	if err != nil || use == nil {
		t.Fatal(err)
	}
	if _, err := s.Remove(t.Context(), "mine"); !errors.Is(err, runtimes.ErrInUse) {
		t.Errorf("removed while it is used: %v", err)
	}
	nothingLeft(t, s, 1)
	if err := use.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Remove(t.Context(), "mine"); err != nil {
		t.Error(err)
	}
	if _, is, err := s.Chosen(); is || err != nil {
		t.Errorf("chosen after it was removed: %v", err)
	}
	nothingLeft(t, s, 0)
	if _, _, err := s.Use(t.Context(), ""); err == nil || !strings.HasPrefix(err.Error(), `"" is not installed`) {
		t.Errorf("no name: %v", err)
	}
	if _, err := s.Remove(t.Context(), "mine"); err == nil || !strings.Contains(err.Error(), "mine is not installed") {
		t.Errorf("removed again: %v", err)
	}
}

// Of those who remove a build at the same time one does, and the others are told that it is not installed.
func TestRemovedAtTheSameTime(t *testing.T) {
	s := storeIn(t.TempDir(), probeQuick)
	if _, err := s.Install(t.Context(), quiet(folderOf(t, "library"))); err != nil {
		t.Fatal(err)
	}
	const many = 8
	ends, removed := make(chan error, many), 0
	for range many {
		go func() {
			_, err := s.Remove(t.Context(), "mine")
			ends <- err
		}()
	}
	for range many {
		if err := <-ends; err == nil {
			removed++
		} else if !strings.Contains(err.Error(), " is not installed") {
			t.Error(err)
		}
	}
	if removed != 1 {
		t.Errorf("removed %d times", removed)
	}
	nothingLeft(t, s, 0)
}

// A build that was damaged after it was installed is replaced by the next install, but not under an engine that has it open.
func TestDamagedBuildIsReplaced(t *testing.T) {
	s := storeIn(t.TempDir(), probeReal)
	done, err := s.Install(t.Context(), quiet(libraryFolder(t)))
	if err != nil {
		t.Fatal(err)
	}
	for how, harm := range map[string]func() error{
		"cut off": func() error { return os.Truncate(done.Build.Library, 1000) },
		"gone":    func() error { return os.Remove(done.Build.Library) },
	} {
		use, err := s.Hold(done.Build.Library)
		if err := errors.Join(err, harm()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Install(t.Context(), quiet(libraryFolder(t))); !errors.Is(err, runtimes.ErrInUse) {
			t.Errorf("%s: replaced while it is used: %v", how, err)
		}
		if err := use.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := s.Install(t.Context(), quiet(libraryFolder(t)))
		if err != nil || again.Before || again.Build.Library != done.Build.Library {
			t.Errorf("%s: %+v, %v", how, again, err)
		}
		if _, _, err := s.Use(t.Context(), "mine"); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		nothingLeft(t, s, 1)
	}
}

// pip downloads a wheel from a folder, as its configuration says.
func TestInstallByPip(t *testing.T) {
	index := wheeltest.New(t)
	index.Add(t, "onnxruntime", "1.30.0", map[string]string{mainPart: "library", "onnxruntime/LICENSE": "MIT", "onnxruntime/a.py": ""}, "Requires-Dist: absent")
	wheel := filepath.Join(index.Dir, "onnxruntime-1.30.0-py3-none-any.whl")
	sum, err := runtimes.SumOf(wheel)
	if err != nil {
		t.Fatal(err)
	}
	s := storeIn(t.TempDir(), probeQuick)
	w := runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", strings.Repeat("0", 64)), Tell: func(string) {}}
	refused(t, s, w, "has the SHA-256 "+sum, "published", "damaged or was changed")

	w.Offer = runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", sum)
	done, err := s.Install(t.Context(), w)
	if err != nil || done.Build.ID != "cpu-1.30.0" || done.Build.Source != filepath.Base(wheel) {
		t.Fatalf("%+v, %v", done, err)
	}
	nothingLeft(t, s, 1)
	entries, err := os.ReadDir(filepath.Dir(done.Build.Library))
	if err != nil || len(entries) != 3 { // the library, LICENSE, conch.json
		t.Errorf("%v, %v", entries, err)
	}
	whole, err := os.ReadFile(wheel)
	if err := errors.Join(err, os.Remove(wheel)); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Install(t.Context(), w); err != nil || !again.Before {
		t.Errorf("downloaded again: %v", err)
	}
	if err := errors.Join(os.WriteFile(wheel, whole, 0o600), os.Remove(done.Build.Library)); err != nil {
		t.Fatal(err)
	}
	s.Probe = storeIn(s.Dir, probeThere).Probe
	if again, err := s.Install(t.Context(), w); err != nil || again.Before {
		t.Errorf("not downloaded in place of one that is gone: %v", err)
	}
	w.Offer = w.Offer.At("1.99.0")
	if _, err := s.Install(t.Context(), w); err == nil || !strings.Contains(err.Error(), "no such version") {
		t.Errorf("another version: %v", err)
	}
	nothingLeft(t, s, 1)
}

// A download that is cancelled, or whose Conch was killed, leaves nothing.
func TestCancelledDownload(t *testing.T) {
	begun := filepath.Join(t.TempDir(), "begun")
	pip := filepath.Join(t.TempDir(), "python")
	script := "#!/bin/sh\ncase \"$*\" in *--version*) exit 0;; esac\necho part > \"$TMPDIR/part\"; : > " + begun + "; exec sleep 600\n"
	if err := os.WriteFile(pip, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(runtimes.PythonVariable, pip)
	s := storeIn(t.TempDir(), probeQuick)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := s.Install(ctx, runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", ""), Tell: func(string) {}})
		failed <- err
	}()
	for _, err := os.Stat(begun); err != nil; _, err = os.Stat(begun) {
		select {
		case err := <-failed:
			t.Fatalf("ended before it was cancelled: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
	nothingLeft(t, s, 0)

	turn, err := filelock.Take(t.Context(), filepath.Join(s.Dir, "change.lock"), func() {})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := turn.Folder(filepath.Join(s.Dir, "builds"), ".new-*"); err != nil { // of a Conch that was killed
		t.Fatal(err)
	}
	turn.End()
	if _, err := s.Install(t.Context(), quiet(folderOf(t, "library"))); err != nil {
		t.Error(err)
	}
	nothingLeft(t, s, 1)
}

// On a disk without locks builds are installed, held and removed.
func TestInstallWithoutLocks(t *testing.T) {
	s := storeIn(t.TempDir(), probeQuick)
	for _, why := range []error{syscall.ENOLCK, syscall.ENOSYS, syscall.EOPNOTSUPP} {
		filelocktest.Fails(t, why)
		done, err := s.Install(t.Context(), quiet(folderOf(t, "library")))
		if err != nil {
			t.Fatalf("%v: %v", why, err)
		}
		use, err := s.Hold(done.Build.Library)
		if err != nil {
			t.Fatalf("%v: %v", why, err)
		}
		if _, err := s.Remove(t.Context(), "mine"); !errors.Is(err, runtimes.ErrInUse) {
			t.Errorf("%v: removed while it is used: %v", why, err)
		}
		if err := use.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Remove(t.Context(), "mine"); err != nil {
			t.Errorf("%v: %v", why, err)
		}
		nothingLeft(t, s, 0)
	}
}

// Two machines that do not see each other's locks install one build at the same time on one disk. Neither removes what the other one
// makes, and the build that is whole first stays.
func TestInstallOnTwoMachines(t *testing.T) {
	s := storeIn(t.TempDir(), probeQuick)
	other := storeIn(filepath.Join(t.TempDir(), "mounted"), probeQuick) // another path, since one process is both machines
	if err := os.Symlink(s.Dir, other.Dir); err != nil {
		t.Fatal(err)
	}
	var first runtimes.Installed
	w := quiet(folderOf(t, "library"))
	w.Tell = func(text string) {
		if text != "unpacking and checking" {
			return
		}
		back := filelocktest.Elsewhere(t)
		defer back()
		var err error
		if first, err = s.Install(t.Context(), quiet(w.From)); err != nil {
			t.Error(err)
		}
	}
	second, err := other.Install(t.Context(), w)
	if err != nil || first.Before || !second.Before || !second.Build.Made.Equal(first.Build.Made) {
		t.Errorf("first %+v, second %+v, %v", first, second, err)
	}
	nothingLeft(t, s, 1)
}

func TestTwoInstallsAtOnce(t *testing.T) {
	dir, from := t.TempDir(), folderOf(t, "library")
	var both sync.WaitGroup
	var before [2]bool
	for i := range before {
		both.Go(func() {
			done, err := storeIn(dir, probeQuick).Install(t.Context(), quiet(from))
			if err != nil {
				t.Error(err)
			}
			before[i] = done.Before
		})
	}
	both.Wait()
	if before[0] == before[1] {
		t.Errorf("found before: %v", before)
	}
	nothingLeft(t, storeIn(dir, probeQuick), 1)
}

func TestFullDisk(t *testing.T) {
	fulldisk.Run(t, 8<<20, func(t *testing.T, disk *fulldisk.Disk) {
		s := storeIn(filepath.Join(disk.Dir, "onnxruntime"), probeQuick)
		refused(t, s, quiet(writeWheel(t, aWheel(part{name: "onnxruntime/capi/libonnxruntime_providers_cuda.so", content: strings.Repeat("x", 9<<20)}))),
			"the disk is full: nothing was installed in "+s.Dir+". Make room there and try again")
		if _, err := s.Install(t.Context(), quiet(writeWheel(t, aWheel()))); err != nil {
			t.Error(err)
		}
		nothingLeft(t, s, 1)
		disk.Fill(t)
		chosen := filepath.Join(s.Dir, "chosen")
		want := "engines use the same ONNX Runtime as before, since the choice cannot be kept in " + chosen + ": no space left on device. Make room there and try again"
		if _, _, err := s.Use(t.Context(), "mine"); err == nil || err.Error() != want {
			t.Errorf("chosen on a full disk: %v", err)
		}
		if _, is, err := s.Chosen(); is || err != nil {
			t.Errorf("half chosen: %v", err)
		}
	})
}

// A chosen build that is gone is told, and not replaced by another one unseen.
func TestChosenIsGone(t *testing.T) {
	s := storeIn(t.TempDir(), probeQuick)
	done, err := s.Install(t.Context(), quiet(folderOf(t, "library")))
	if err == nil {
		_, _, err = s.Use(t.Context(), "mine")
	}
	if err == nil {
		err = os.RemoveAll(filepath.Dir(done.Build.Library))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, is, err := s.Chosen(); is || err == nil || !strings.Contains(err.Error(), "conch runtime use bundled") {
		t.Errorf("%v, %v", is, err)
	}
	if _, _, err := s.Use(t.Context(), runtimes.Bundled); err != nil {
		t.Error(err)
	}
	if _, is, err := s.Chosen(); is || err != nil {
		t.Errorf("%v, %v", is, err)
	}
}

// A build whose file about itself is damaged is listed with the reason, is not used, and can be removed or installed again.
func TestDamagedFileOfABuild(t *testing.T) {
	s := storeIn(t.TempDir(), probeQuick)
	done, err := s.Install(t.Context(), quiet(folderOf(t, "library")))
	if err == nil {
		_, _, err = s.Use(t.Context(), "mine")
	}
	file := filepath.Join(filepath.Dir(done.Build.Library), "conch.json")
	if err := errors.Join(err, os.WriteFile(file, []byte("{bad"), 0o600)); err != nil {
		t.Fatal(err)
	}
	why := file + " is damaged: invalid character 'b'"
	if list := s.List(); len(list) != 1 || list[0].ID != done.Build.ID || list[0].Damage == nil || !strings.HasPrefix(list[0].Damage.Error(), why) {
		t.Errorf("%+v", list)
	}
	if _, is, err := s.Chosen(); is || err == nil || !strings.Contains(err.Error(), "cannot be used: "+why) {
		t.Errorf("chosen: %v, %v", is, err)
	}
	if _, _, err := s.Use(t.Context(), "mine"); err == nil || !strings.HasPrefix(err.Error(), "mine-1.30.0 cannot be used: "+why) ||
		!strings.Contains(err.Error(), "conch runtime remove mine-1.30.0") {
		t.Errorf("used: %v", err)
	}
	has := func() bool {
		ok, err := s.Has(t.Context(), "mine-1.30.0")
		return ok && err == nil
	}
	if has() {
		t.Error("it counts as installed")
	}
	if again, err := s.Install(t.Context(), quiet(folderOf(t, "library"))); err != nil || again.Before || !has() {
		t.Errorf("installed again: %+v, %v", again, err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := s.Remove(t.Context(), "mine"); err != nil || b.ID != "mine-1.30.0" {
		t.Errorf("removed: %v, %v", b.ID, err)
	}
	nothingLeft(t, s, 0)
}

// A library that is only a link into another folder is told as that, and not as one that is not there.
func TestLinkToALibrary(t *testing.T) {
	elsewhere := filepath.Join(folderOf(t, "library"), runtimes.LibraryName())
	for _, below := range []string{".", "lib"} {
		from := t.TempDir()
		link := filepath.Join(from, below, runtimes.LibraryName())
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(elsewhere, link)); err != nil {
			t.Fatal(err)
		}
		refused(t, storeIn(t.TempDir(), probeQuick), quiet(from), link+" is a link, to "+elsewhere+", and what is not beside it is not taken: name the folder that has the library itself")
	}
}

// A name that no build can have is refused before anything is unpacked.
func TestNamesOfBuilds(t *testing.T) {
	s, from := storeIn(t.TempDir(), probeQuick), folderOf(t, "library")
	for name, want := range map[string]string{
		"../x": `"../x" cannot be the name of a build: `, "a b": `"a b" cannot be`, "ünï": `"ünï" cannot be`, "-x": `"-x" cannot be`,
		strings.Repeat("x", 61): "cannot be the name of a build", runtimes.Bundled: `"bundled" is the name of the ONNX Runtime that comes with Conch`,
	} {
		w := quiet(from)
		w.Offer.Name = name
		w.Tell = func(text string) { t.Errorf("%s: %s", name, text) }
		if _, err := s.Install(t.Context(), w); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{strings.Repeat("x", 60), "a.B_c+1"} {
		w := quiet(from)
		w.Offer.Name = name
		if done, err := s.Install(t.Context(), w); err != nil || done.Build.Name != name {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
}
