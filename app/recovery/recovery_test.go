//go:build unix

package recovery_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/app/overlay"
	"conch/app/recovery"
	"conch/app/userfile"
)

// open opens the recovery files of a folder, which it makes.
func open(t *testing.T, opts recovery.Options) *recovery.Files {
	t.Helper()
	if err := userfile.MakeDir(opts.Dir); err != nil {
		t.Fatal(err)
	}
	f := recovery.Open(opts)
	t.Cleanup(f.Close)
	return f
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func draftOf(root, text string) overlay.RecoveryDraft {
	return overlay.RecoveryDraft{Over: 3, Draft: overlay.Draft{
		Key: overlay.Key{Root: root, Path: "digits/config.pbtxt"}, Text: text, Base: overlay.Base{Version: "v", Text: "old"}, Version: 9, Changed: time.UnixMilli(1_700_000_000_123).UTC(),
	}}
}

func onlyFile(t *testing.T, dir, pattern string) string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, pattern))
	if len(files) != 1 {
		t.Fatalf("%v are there", files)
	}
	return files[0]
}

// TestWrittenFilesAreRead: the next run reads what was written, for its root only. Only the user can
// read the file, and it is whole.
func TestWrittenFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	f := open(t, recovery.Options{Dir: dir})
	want := draftOf("/a", "mine \"äöü\"\n")
	for _, text := range []string{"m", want.Text} {
		if _, err := f.Write("/a", []overlay.RecoveryDraft{draftOf("/a", text)}); err != nil {
			t.Fatal(err)
		}
	}
	file := onlyFile(t, dir, "unsaved-*")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	next := open(t, recovery.Options{Dir: dir})
	if list, _, err := next.Read("/a"); err != nil || len(list) != 1 || list[0] != want {
		t.Errorf("%+v, %v", list, err)
	}
	if list, _, err := next.Read("/b"); err != nil || len(list) != 0 {
		t.Errorf("of another root: %+v, %v", list, err)
	}
	if _, err := next.Write("/a", nil); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "unsaved-*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// TestFilesThatCannotBeRead: nothing overwrites them.
func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	f := open(t, recovery.Options{Dir: dir})
	if _, err := f.Write("/a", []overlay.RecoveryDraft{draftOf("/a", "mine")}); err != nil {
		t.Fatal(err)
	}
	file := onlyFile(t, dir, "unsaved-*")
	if err := os.WriteFile(file, []byte(`{"Root":"/a","Dra`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Read("/a"); err == nil || !strings.Contains(err.Error(), filepath.Base(file)+".damaged-") {
		t.Errorf("a damaged file: %v", err)
	}
	onlyFile(t, dir, "unsaved-*.json.damaged-*")
	if _, err := f.Write("/a", []overlay.RecoveryDraft{draftOf("/a", "next")}); err != nil {
		t.Errorf("after it was moved: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil { // a folder cannot be read as a file, not even by root
		t.Fatal(err)
	}
	_, _, unread := f.Read("/a")
	if _, err := f.Write("/a", []overlay.RecoveryDraft{draftOf("/a", "over it")}); unread == nil || !errors.Is(err, unread) {
		t.Errorf("read %v, written %v", unread, err)
	}
}

// TestUnchangedDraftsAreNotWrittenAgain: unchanged drafts cause no write and no sync while they wait
// for the history. They move to a better place once it takes them, and are written again where
// somebody removed them.
func TestUnchangedDraftsAreNotWrittenAgain(t *testing.T) {
	refuge := filepath.Join(t.TempDir(), "refuge")
	for name, reserved := range map[string]bool{"in the reserve": true, "in a folder elsewhere": false} {
		t.Run(name, func(t *testing.T) {
			now := time.UnixMilli(1_700_000_000_000)
			opts := recovery.Options{Dir: t.TempDir(), Refuges: []string{refuge}, Now: func() time.Time { return now }}
			f := open(t, opts)
			if _, _, err := f.Read("/a"); err != nil {
				t.Fatal(err)
			}
			dir, pattern := refuge, "unsaved-*.json"
			if reserved {
				if err := f.SetAside(); err != nil {
					t.Fatal(err)
				}
				dir, pattern = opts.Dir, "unsaved-reserve-1"
			}
			free := block(t, opts.Dir, "/a")
			spot := writes(t, f, "/a", "mine")
			if spot.Path != dir {
				t.Fatalf("it is in %+v", spot)
			}
			path := onlyFile(t, dir, pattern)
			first := readFile(t, path)
			for range 20 {
				now = now.Add(time.Second)
				if again := writes(t, f, "/a", "mine"); again != spot {
					t.Fatalf("it is in %+v", again)
				}
			}
			if !bytes.Equal(readFile(t, path), first) {
				t.Error("the same drafts were written again")
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if again := writes(t, f, "/a", "mine"); again.Path != refuge {
				t.Errorf("somebody removed the file, and it is in %+v", again)
			}
			free()
			now = now.Add(time.Minute)
			if again := writes(t, f, "/a", "mine"); again != (overlay.Spot{}) {
				t.Errorf("the data folder takes it, and it is in %+v", again)
			}
		})
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
