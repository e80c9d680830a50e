package control_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/filelock"
	"conch/engine/filelock/filelocktest"
	"conch/engine/infer"
)

const given = `{"backend":"fake","default_model_filename":"model.fake","max_batch_size":2,` +
	`"input":[{"name":"IN","data_type":"TYPE_FP32","dims":[2]}],"output":[{"name":"OUT","data_type":"TYPE_FP32","dims":[2]}]}`

func files(paths ...string) map[string][]byte {
	list := map[string][]byte{}
	for _, p := range paths {
		list[p] = []byte("from the client")
	}
	return list
}

// leftovers returns the folders of clients' files that exist.
func leftovers(t *testing.T, temp string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(temp, "conch-models-*", "load-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// ended returns the number of a process that has ended.
func ended(t *testing.T) int {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^$")
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	return c.Process.Pid
}

// The files of a killed process are removed after the first load of the next process, when they are a day old: a
// process that cannot be seen from here may still use them. The lock shows that the process has ended, even if
// another process has its number by now.
func TestLeftFilesAreRemoved(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	left := func(pid int, name string, age time.Duration, lock bool) (dir string, locked *os.File) {
		dir = filepath.Join(temp, fmt.Sprintf("conch-models-%d-%s", pid, name))
		if err := os.MkdirAll(filepath.Join(dir, "load-1"), 0o700); err != nil {
			t.Fatal(err)
		}
		if lock {
			var err error
			if locked, err = os.Create(filepath.Join(dir, "lock")); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { locked.Close() })
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(dir, then, then); err != nil {
			t.Fatal(err)
		}
		return dir, locked
	}
	day := 25 * time.Hour
	runs, held := left(ended(t), "runs", day, true)
	if taken, err := filelock.Try(held); taken || err != nil {
		t.Fatal(taken, err)
	}
	unlocked, _ := left(ended(t), "unlocked", day, false)
	recycled, _ := left(os.Getpid(), "recycled", day, true)
	young, _ := left(ended(t), "young", 23*time.Hour, true)
	said := make(lines, 100)
	log := slog.New(slog.NewTextHandler(said, nil))
	b := start(t, control.Options{Mode: control.Explicit, Log: log}, nil)
	if err := b.Load(t.Context(), "a", control.Request{Override: given, Files: files("1/model.fake")}); err != nil {
		t.Fatal(err)
	}
	for removed := 0; removed < 2; {
		if strings.Contains(<-said, "removed the files of an ended process") {
			removed++
		}
	}
	for _, gone := range []string{unlocked, recycled} {
		if _, err := os.Stat(gone); !os.IsNotExist(err) {
			t.Errorf("the files of a process that has ended: %v", err)
		}
	}
	for _, kept := range []string{runs, young} {
		if _, err := os.Stat(kept); err != nil {
			t.Errorf("the files of a process that runs, or may run, are gone: %v", err)
		}
	}
}

// Where the folder for temporary files is on a disk without locks, clients bring files as well, and the number of a process tells
// whether it runs.
func TestFilesWithoutLocks(t *testing.T) {
	filelocktest.Fails(t, syscall.ENOLCK)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	left := map[string]int{"runs": os.Getpid(), "ended": ended(t)}
	dirs := map[string]string{}
	then := time.Now().Add(-2 * filelock.Abandoned)
	for name, pid := range left {
		dirs[name] = filepath.Join(temp, fmt.Sprintf("conch-models-%d-%s", pid, name))
		if err := os.Mkdir(dirs[name], 0o700); err != nil {
			t.Fatal(err)
		}
		err := os.WriteFile(filepath.Join(dirs[name], "lock"), nil, 0o600)
		if err == nil {
			err = os.Chtimes(dirs[name], then, then)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	said := make(lines, 100)
	b := start(t, control.Options{Mode: control.Explicit, Log: slog.New(slog.NewTextHandler(said, nil))}, nil)
	if err := b.Load(t.Context(), "a", control.Request{Override: given, Files: files("1/model.fake")}); err != nil {
		t.Fatal(err)
	}
	for line := <-said; !strings.Contains(line, "removed the files of an ended process"); {
		line = <-said
	}
	for name, dir := range dirs {
		if _, err := os.Stat(dir); (err == nil) != (name == "runs") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLogNamesTheModel: each line about a load or an unload has the model's name apart from its words, so that the
// model's own log has it.
func TestLogNamesTheModel(t *testing.T) {
	said := make(lines, 100)
	b := start(t, control.Options{Mode: control.Explicit, Log: slog.New(slog.NewTextHandler(said, nil))}, func(b *bench) {
		b.dir.Write(t, "a/config.pbtxt", config("a"))
		b.dir.Write(t, "a/1/model.fake", "weights")
	})
	if err := b.Load(t.Context(), "a", control.Request{}); err != nil {
		t.Fatal(err)
	}
	if err := b.Unload("a", false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"loading: a:1", "successfully loaded 'a'", "successfully unloaded 'a' version 1"} {
		line := <-said
		for !strings.Contains(line, want) {
			line = <-said
		}
		if !strings.Contains(line, " model=a") {
			t.Errorf("%s", line)
		}
	}
}

// lines are the logged lines.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// A client's files have the same version folders as a repository: 07 and v2 are not version folders, and +3 is
// version 3, whose folder becomes 3 (docs/triton/repository.md, "Version folders").
func TestVersionsAmongFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	b := start(t, control.Options{Mode: control.Explicit}, nil)
	override := strings.Replace(given, "{", `{"version_policy":{"all":{}},`, 1)
	request := control.Request{Override: override, Files: files("07/model.fake", "1/model.fake", "v2/model.fake")}
	if err := b.Load(t.Context(), "a", request); err != nil {
		t.Fatal(err)
	}
	s, _ := b.Status("a")
	if len(s.Versions) != 1 || s.Versions[0].Number != 1 {
		t.Errorf("versions = %+v, want 1 alone", s.Versions)
	}
	request.Files = files("1/model.fake", "+3/model.fake")
	if err := b.Load(t.Context(), "a", request); err == nil || !strings.Contains(err.Error(), "version 3 is at UNAVAILABLE state") {
		t.Errorf("a folder called +3: %v", err)
	}
}

func TestLoadFromFiles(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave}, func(b *bench) { b.add(t, "a", "one") })
	b.load(t, "a")
	if err := b.Load(t.Context(), "a", control.Request{Override: given, Files: files("7/model.fake", "/labels.txt")}); err != nil {
		t.Fatal(err)
	}
	b.wantAnswer(t, "a", "from the client")
	b.untilIndex(t, "a/1 UNAVAILABLE (unloaded), a/7 READY")
	b.dir.Look()
	b.wantAnswer(t, "a", "from the client") // the repository has not changed, so nothing follows it
	if err := b.Load(t.Context(), "a", control.Request{Override: given, Files: files("7/other")}); err == nil {
		t.Error("a version without its model file was loaded")
	}
	b.wantAnswer(t, "a", "from the client")
	if n := leftovers(t, temp); len(n) != 1 {
		t.Errorf("folders = %v, want the one that serves", n)
	}
	b.load(t, "a")
	b.wantAnswer(t, "a", "one")
	b.until(t, "the files' end", func() bool { return len(leftovers(t, temp)) == 0 })
}

// TestFolderOfFilesIsRemoved: when a cleaner of temporary folders removes the folder of clients' files, or
// only its lock, the next load makes a new one. Nothing of either is left at the end.
func TestFolderOfFilesIsRemoved(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	b := start(t, control.Options{Mode: control.Explicit}, nil)
	folders := func() []string {
		found, err := filepath.Glob(filepath.Join(temp, "conch-models-*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	load := func(name string) {
		t.Helper()
		if err := b.Load(t.Context(), name, control.Request{Override: given, Files: files("1/model.fake")}); err != nil {
			t.Fatal(err)
		}
		b.wantAnswer(t, name, "from the client")
	}
	load("a")
	if err := os.RemoveAll(folders()[0]); err != nil {
		t.Fatal(err)
	}
	load("b")
	load("a")
	if n := len(folders()); n != 1 {
		t.Errorf("%d folders", n)
	}
	if err := os.Remove(filepath.Join(folders()[0], "lock")); err != nil {
		t.Fatal(err)
	}
	load("c")
	if n := len(folders()); n != 2 {
		t.Errorf("%d folders, want the old one, whose models serve, and a new one", n)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := folders(); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// A model that exists only as a client's files serves. It is not in the index, which lists folders
// (docs/triton/loading.md, "Files of a load request").
func TestLoadFromFilesAlone(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave}, nil)
	if err := b.Load(t.Context(), "new", control.Request{Override: given, Files: files("1/model.fake")}); err != nil {
		t.Fatal(err)
	}
	b.add(t, "other", "one")
	b.dir.Look()
	b.wantAnswer(t, "new", "from the client")
	b.untilIndex(t, "other")
	if err := b.Load(t.Context(), "new", control.Request{}); err == nil {
		t.Error("a plain load found it")
	}
	if err := b.Unload("new", false); err != nil {
		t.Fatal(err)
	}
	b.until(t, "the files' end", func() bool { return len(leftovers(t, temp)) == 0 })
}

func TestFilesThatAreRefused(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) { b.add(t, "a", "one") })
	for _, c := range []struct {
		override string
		files    []string
		reason   string
	}{
		{"", []string{"1/model.fake"}, "Load parameter 'config' must be specified for model file override"},
		{given, []string{"../1/model.fake"}, "Invalid file parameter 'file:../1/model.fake' with normalized path '../1/model.fake' must stay within model directory."},
		{given, []string{"1/../../x"}, "Invalid file parameter 'file:1/../../x' with normalized path '../x' must stay within model directory."},
		{given, []string{""}, "Invalid file parameter 'file:' with normalized path '.' must stay within model directory."},
		{given, []string{"1", "1/model.fake"}, "Invalid file parameter 'file:1/model.fake', directory has been created as a file"},
		{"{", []string{"1/model.fake"}, "Invalid config override: "},
	} {
		err := b.Load(t.Context(), "a", control.Request{Override: c.override, Files: files(c.files...)})
		if infer.CodeOf(err) != infer.Internal || err == nil || err.Error() != "failed to load 'a', failed to poll from model repository" {
			t.Errorf("%v: %v", c.files, err)
		}
		if s, _ := b.Status("a"); !strings.HasPrefix(s.LoadError, c.reason) {
			t.Errorf("people are told %q, want %q", s.LoadError, c.reason)
		}
	}
	err := b.Load(t.Context(), "a", control.Request{Override: given, Files: files("model.fake")})
	if err == nil || err.Error() != "load failed for model 'a': at least one version must be available under the version policy of model 'a'\n" {
		t.Errorf("files without a version folder: %v", err)
	}
	if n := leftovers(t, temp); len(n) != 0 {
		t.Errorf("left behind: %v", n)
	}
	if _, err := os.Stat(filepath.Join(temp, "1")); err == nil {
		t.Error("a file was written outside")
	}
}

// A model may exist only as a client's files. A change of the repository does not end its load.
func TestLoadFromFilesWhileTheRepositoryChanges(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	begun, release := make(chan struct{}), make(chan struct{})
	b := start(t, control.Options{Mode: control.Explicit, Reload: control.OnSave, LoadModels: []string{"a"}}, func(b *bench) {
		b.add(t, "a", "one")
		b.fake.OnLoad = func(ctx context.Context, spec backend.Spec) error {
			if spec.Name != "new" {
				return nil
			}
			close(begun)
			select {
			case <-release:
			case <-ctx.Done():
			}
			return context.Cause(ctx)
		}
	})
	loaded := make(chan error)
	go func() {
		loaded <- b.Load(t.Context(), "new", control.Request{Override: given, Files: files("1/model.fake")})
	}()
	<-begun
	b.dir.Write(t, "a/1/model.fake", "two")
	b.dir.Look()
	b.until(t, "the change is seen to", func() bool { s, _ := b.ask("a", infer.Latest); return s == "two" })
	close(release)
	if err := <-loaded; err != nil {
		t.Fatal(err)
	}
	b.wantAnswer(t, "new", "from the client")
}
