package handover_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/app/handover"
	"conch/app/language"
	"conch/configedit/release"
)

// exported writes an export of the examples to a folder, and says what became of it.
func exported(t *testing.T, dir, version string, measured uint64) *handover.Written {
	t.Helper()
	opts := handover.Options{
		Target: handover.Kubernetes, Roots: []string{"../../examples/repository"}, Storage: "pvc:models", Measured: measured,
		Flags: language.Flags{Release: release.Find(version)},
	}
	e, err := handover.Prepare(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	done, err := e.Write(t.Context(), dir, opts, handover.Packing{})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// edit replaces a text in a file, as a person does.
func edit(t *testing.T, dir, name, old, by string) {
	t.Helper()
	text := read(t, dir, name)
	if !strings.Contains(text, old) {
		t.Fatalf("%s has no %q:\n%s", name, old, text)
	}
	write(t, filepath.Join(dir, name), strings.Replace(text, old, by, 1))
}

// TestSecondExportKeepsAHandEdit: a person sets the replicas and adds a comment; the next export brings another release and
// the memory, and both stay.
func TestSecondExportKeepsAHandEdit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deploy")
	if done := exported(t, dir, "24.12", 0); len(done.Made) != 6 {
		t.Fatalf("%+v", done)
	}
	if done := exported(t, dir, "24.12", 0); len(done.Same) != 6 || len(done.Made)+len(done.Changed) > 0 {
		t.Errorf("the same export: %+v", done)
	}
	edit(t, dir, "deployment.yaml", "  selector:", "  replicas: 3 # for the week of the launch\n  selector:")
	done := exported(t, dir, "25.06", 1<<30)
	if !slices.Equal(done.Edited, []string{"deployment.yaml"}) || len(done.Conflicts) > 0 || len(done.Changed) != 5 {
		t.Errorf("%+v", done)
	}
	text := read(t, dir, "deployment.yaml")
	for _, want := range []string{"replicas: 3 # for the week of the launch", "tritonserver:25.06-py3", "memory: 2816Mi"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	decode(t, handover.File{Name: "deployment.yaml", Text: text})
}

// TestSecondExportNamesAConflict: a person chose another image, and the export has a new one.
func TestSecondExportNamesAConflict(t *testing.T) {
	dir := t.TempDir()
	exported(t, dir, "24.12", 0)
	edit(t, dir, "deployment.yaml", "nvcr.io/nvidia/tritonserver:24.12-py3", "registry.example/own:1")
	done := exported(t, dir, "25.06", 0)
	if len(done.Conflicts) != 1 {
		t.Fatalf("%+v", done)
	}
	c := done.Conflicts[0]
	text := strings.Split(read(t, dir, "deployment.yaml"), "\n")
	if c.File != "deployment.yaml" || !strings.Contains(c.Kept, "registry.example/own:1") || !strings.Contains(c.Offered, "25.06-py3") || !strings.Contains(text[c.Line-1], "registry.example/own:1") {
		t.Errorf("%+v", c)
	}
	if again := exported(t, dir, "25.06", 0); len(again.Conflicts) > 0 || !slices.Contains(again.Kept, "deployment.yaml") {
		t.Errorf("the conflict was told, and is told again: %+v", again)
	}
}

// TestSecondExportKeepsWindowsLines: an editor on Windows changed the end of every line. Nobody edited each line.
func TestSecondExportKeepsWindowsLines(t *testing.T) {
	dir := t.TempDir()
	exported(t, dir, "24.12", 0)
	edit(t, dir, "deployment.yaml", "  selector:", "  replicas: 3\n  selector:")
	write(t, filepath.Join(dir, "deployment.yaml"), strings.ReplaceAll(read(t, dir, "deployment.yaml"), "\n", "\r\n"))
	if done := exported(t, dir, "25.06", 0); len(done.Conflicts) > 0 || !slices.Contains(done.Edited, "deployment.yaml") {
		t.Fatalf("%+v", done)
	}
	text := read(t, dir, "deployment.yaml")
	if strings.Count(text, "\r\n") != strings.Count(text, "\n") || !strings.Contains(text, "replicas: 3") || !strings.Contains(text, "25.06-py3") {
		t.Errorf("%q", text)
	}
}

// TestSecondExportStopsAtGitsMarks: nothing is written into a file with a conflict that nobody has solved.
func TestSecondExportStopsAtGitsMarks(t *testing.T) {
	dir := t.TempDir()
	exported(t, dir, "24.12", 0)
	edit(t, dir, "deployment.yaml", "  selector:", "<<<<<<< HEAD\n  replicas: 3\n=======\n  replicas: 2\n>>>>>>> other\n  selector:")
	before, service := read(t, dir, "deployment.yaml"), read(t, dir, "service.yaml")
	opts := handover.Options{Target: handover.Kubernetes, Roots: []string{"../../examples/repository"}, Storage: "pvc:models", Flags: language.Flags{Release: release.Find("25.06")}}
	e, err := handover.Prepare(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Write(t.Context(), dir, opts, handover.Packing{}); err == nil || !strings.Contains(err.Error(), "deployment.yaml, line 11: git") {
		t.Error(err)
	}
	if read(t, dir, "deployment.yaml") != before || read(t, dir, "service.yaml") != service {
		t.Error("something was written")
	}
}

// A file that a person removed stays away, and one that the export no longer has goes, unless a person changed it.
func TestRemovedFiles(t *testing.T) {
	dir := t.TempDir()
	files := []handover.File{{Name: "a.yaml", Text: "a: 1\n"}, {Name: "b/b.yaml", Text: "b: 1\n"}, {Name: "c.yaml", Text: "c: 1\n"}}
	put := func(files ...handover.File) *handover.Written {
		done, err := (&handover.Export{Files: files}).Write(t.Context(), dir, handover.Options{Target: handover.Compose, Roots: []string{filepath.Join(dir, "models")}}, handover.Packing{})
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	put(files...)
	if err := os.Remove(filepath.Join(dir, "a.yaml")); err != nil {
		t.Fatal(err)
	}
	if done := put(files...); !slices.Equal(done.Kept, []string{"a.yaml"}) {
		t.Errorf("%+v", done)
	}
	write(t, filepath.Join(dir, "c.yaml"), "c: mine\n")
	if done := put(files[0]); !slices.Equal(done.Removed, []string{"b/b.yaml"}) || !slices.Contains(done.Kept, "c.yaml") || read(t, dir, "c.yaml") != "c: mine\n" {
		t.Errorf("%+v", done)
	}
}

// TestNothingOfOthersIsReplaced: neither a file that no export wrote, nor one behind a link out of the folder.
func TestNothingOfOthersIsReplaced(t *testing.T) {
	file := handover.File{Name: "sub/compose.yaml", Text: "name: a\n"}
	for name, prepare := range map[string]func(dir, outside string) error{
		"a file": func(dir, _ string) error {
			write(t, filepath.Join(dir, file.Name), "name: mine\n")
			return nil
		},
		"a folder":           func(dir, _ string) error { return os.MkdirAll(filepath.Join(dir, file.Name), 0o755) },
		"a link to a folder": func(dir, outside string) error { return os.Symlink(outside, filepath.Join(dir, "sub")) },
		"a record in pieces": func(dir, _ string) error { write(t, filepath.Join(dir, ".conch-export"), "{"); return nil },
		"another target": func(dir, _ string) error {
			write(t, filepath.Join(dir, ".conch-export"), `{"target":"kserve"}`)
			return nil
		},
		"a link to the record": func(dir, outside string) error {
			return os.Symlink(filepath.Join(outside, "x"), filepath.Join(dir, ".conch-export"))
		},
	} {
		dir, outside := t.TempDir(), t.TempDir()
		write(t, filepath.Join(outside, "x"), "{}")
		if err := prepare(dir, outside); err != nil {
			t.Fatal(err)
		}
		before := tree(t, dir) + tree(t, outside)
		if done, err := (&handover.Export{Files: []handover.File{file}}).Write(t.Context(), dir, handover.Options{Target: handover.Compose, Roots: []string{filepath.Join(dir, "models")}}, handover.Packing{}); err == nil {
			t.Errorf("%s: %+v", name, done)
		}
		if after := tree(t, dir) + tree(t, outside); after != before {
			t.Errorf("%s: %s became %s", name, before, after)
		}
	}
}

// TestWhatLiesBesideAFile: the file that an export writes first and then moves is a new one. A link, a pipe or a file of a person with a name like
// its own is neither written to nor waited for, and stays.
func TestWhatLiesBesideAFile(t *testing.T) {
	for name, prepare := range map[string]func(dir, beside string) error{
		"a file": func(_, beside string) error { return os.WriteFile(beside, []byte("mine"), 0o644) },
		"a link": func(_, beside string) error { return os.Symlink("mine.yaml", beside) },
		"a pipe": func(_, beside string) error { return syscall.Mkfifo(beside, 0o600) },
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "mine.yaml"), "a: mine")
		beside := filepath.Join(dir, "compose.yaml.conch-new")
		if err := prepare(dir, beside); err != nil {
			t.Fatal(err)
		}
		before, err := os.Lstat(beside)
		if err != nil {
			t.Fatal(err)
		}
		export := &handover.Export{Files: []handover.File{{Name: "compose.yaml", Text: "name: a\n"}}}
		written := make(chan error, 1)
		go func() {
			_, err := export.Write(t.Context(), dir, handover.Options{Target: handover.Compose}, handover.Packing{})
			written <- err
		}()
		select {
		case err = <-written:
		case <-time.After(time.Minute):
			t.Fatalf("%s: the export waits", name)
		}
		if err != nil || read(t, dir, "compose.yaml") != "name: a\n" || read(t, dir, "mine.yaml") != "a: mine" {
			t.Errorf("%s: %v; the files are %s", name, err, tree(t, dir))
		}
		after, err := os.Lstat(beside)
		if err != nil || after.Mode() != before.Mode() || after.Size() != before.Size() {
			t.Errorf("%s became %v, %v", name, after, err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
			t.Errorf("%s: the folder has %v, %v", name, entries, err)
		}
	}
}

// tree lists the files of a folder and what they hold.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			b.WriteString(path + "=" + read(t, filepath.Dir(path), filepath.Base(path)) + ";")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRun: nothing is written before the problems are gone, unless a person says so; then files are printed or written.
func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	opts := handover.Options{Target: handover.TritonServer, Roots: []string{"../../examples/repository"}, Flags: language.Flags{Release: release.Find("24.10")}}
	var files, told bytes.Buffer
	out := handover.Output{Dir: dir, Files: &files, Told: &told}
	if err := handover.Run(t.Context(), opts, out); !errors.Is(err, handover.ErrNotAll) || !strings.Contains(told.String(), "digits_prepare: ") {
		t.Error(err, told.String())
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("the folder was made:", err)
	}
	out.Anyway = true
	if err := handover.Run(t.Context(), opts, out); err != nil || !strings.Contains(told.String(), "written: tritonserver.sh") {
		t.Error(err, told.String())
	}
	if info, err := os.Stat(filepath.Join(dir, "tritonserver.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Error(info, err)
	}
	opts.Flags.Release, out.Dir = release.Newest(), ""
	if err := handover.Run(t.Context(), opts, out); err != nil || !strings.HasPrefix(files.String(), "#!/bin/sh\n") {
		t.Error(err, files.String())
	}
}

// TestNotIntoARepository: also behind a link, and in a folder that does not exist yet.
func TestNotIntoARepository(t *testing.T) {
	root := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	opts := handover.Options{Target: handover.Compose, Roots: []string{root}}
	for _, dir := range []string{root, filepath.Join(root, "a", "b"), filepath.Join(link, "c")} {
		if _, err := (&handover.Export{Files: []handover.File{{Name: "compose.yaml"}}}).Write(t.Context(), dir, opts, handover.Packing{}); err == nil || !strings.Contains(err.Error(), "takes each folder for a model") {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) > 0 {
		t.Error(entries, err)
	}
}
