//go:build unix

package recovery_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"conch/app/overlay"
	"conch/app/recovery"
	"conch/build/fulldisk"
)

// block makes the usual place of a root refuse writes, for every user.
func block(t *testing.T, dir, root string) (free func()) {
	t.Helper()
	sum := sha256.Sum256([]byte(root))
	path := filepath.Join(dir, "unsaved-"+hex.EncodeToString(sum[:16])+".json")
	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}

// use opens a root in the recovery files, as a workbench does.
func use(t *testing.T, f *recovery.Files, root string) []overlay.RecoveryDraft {
	t.Helper()
	list, _, err := f.Read(root)
	if err = errors.Join(err, f.SetAside()); err != nil {
		t.Fatal(err)
	}
	return list
}

func writes(t *testing.T, f *recovery.Files, root string, texts ...string) overlay.Spot {
	t.Helper()
	var list []overlay.RecoveryDraft
	for _, text := range texts {
		list = append(list, draftOf(root, text))
	}
	spot, err := f.Write(root, list)
	if err != nil {
		t.Fatal(err)
	}
	return spot
}

func reopen(t *testing.T, f *recovery.Files, opts recovery.Options) *recovery.Files {
	t.Helper()
	f.Close()
	return open(t, opts)
}

// wantKept checks what the next start finds.
func wantKept(t *testing.T, f *recovery.Files, root string, texts ...string) {
	t.Helper()
	var got []string
	for _, p := range use(t, f, root) {
		got = append(got, p.Text)
	}
	if strings.Join(got, "|") != strings.Join(texts, "|") {
		t.Errorf("of %s there is %q, want %q", root, got, texts)
	}
}

// onlyReserve returns options without refuges.
func onlyReserve(dir string) recovery.Options { return recovery.Options{Dir: dir, Refuges: []string{}} }

// TestReserve: where the usual place takes nothing, drafts are in reserved space, at the next start
// too, until the usual place has them or they are removed.
func TestReserve(t *testing.T) {
	dir := t.TempDir()
	f := open(t, onlyReserve(dir))
	wantKept(t, f, "/a")
	wantKept(t, f, "/b")
	free := block(t, dir, "/a")
	for _, text := range []string{"m", "mi", "mine"} {
		if spot := writes(t, f, "/a", text); spot != (overlay.Spot{Path: dir}) {
			t.Errorf("it is in %+v", spot)
		}
	}
	free()
	f = reopen(t, f, onlyReserve(dir))
	wantKept(t, f, "/b")
	wantKept(t, f, "/a", "mine")
	if spot := writes(t, f, "/a", "mine", "and more"); spot != (overlay.Spot{}) {
		t.Errorf("it is in %+v", spot)
	}
	f = reopen(t, f, onlyReserve(dir))
	wantKept(t, f, "/a", "mine", "and more")
	writes(t, f, "/a")
	f = reopen(t, f, onlyReserve(dir))
	wantKept(t, f, "/a")
	if files, _ := filepath.Glob(filepath.Join(dir, "unsaved-reserve-?")); len(files) != 2 {
		t.Errorf("two roots were open at a time, and the reserves are %v", files)
	}
}

// TestReserveOfAnother: a reserve belongs to one program at a time. Another program takes over what a
// program leaves.
func TestReserveOfAnother(t *testing.T) {
	dir := t.TempDir()
	first, second := open(t, onlyReserve(dir)), open(t, onlyReserve(dir))
	wantKept(t, first, "/a")
	wantKept(t, second, "/b")
	block(t, dir, "/a")
	block(t, dir, "/b")
	writes(t, first, "/a", "a")
	writes(t, second, "/b", "b")
	first.Release("/a")
	if err := os.RemoveAll(onlyFile(t, dir, "unsaved-"+nameOf("/a"))); err != nil {
		t.Fatal(err)
	}
	wantKept(t, second, "/a", "a")
}

func nameOf(root string) string {
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:16]) + ".json"
}

// TestReserveCutOff: after a write that is cut off, the content before it is still there.
func TestReserveCutOff(t *testing.T) {
	dir := t.TempDir()
	f := open(t, onlyReserve(dir))
	wantKept(t, f, "/a")
	free := block(t, dir, "/a")
	writes(t, f, "/a", "before")
	path := onlyFile(t, dir, "unsaved-reserve-1")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	writes(t, f, "/a", "after")
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	free()
	end := len(after)
	for end > 0 && before[end-1] == after[end-1] {
		end--
	}
	if bytes.Equal(before, after) {
		t.Fatal("nothing was written")
	}
	for cut := range end {
		if before[cut] == after[cut] {
			continue
		}
		torn := append(bytes.Clone(after[:cut]), before[cut:]...)
		write(t, path, torn)
		f := open(t, onlyReserve(dir))
		wantKept(t, f, "/a", "before")
		f.Close()
		if t.Failed() {
			return
		}
	}
	write(t, path, after)
	wantKept(t, open(t, onlyReserve(dir)), "/a", "after")
}

// TestNewestPlace: a text that could not be removed from one place does not replace a newer one in
// another.
func TestNewestPlace(t *testing.T) {
	dir := t.TempDir()
	f := open(t, onlyReserve(dir))
	wantKept(t, f, "/a")
	writes(t, f, "/a", "old")
	usual := onlyFile(t, dir, "unsaved-*.json")
	if err := os.Rename(usual, usual+".old"); err != nil {
		t.Fatal(err)
	}
	free := block(t, dir, "/a")
	writes(t, f, "/a", "new")
	free()
	if err := os.Rename(usual+".old", usual); err != nil {
		t.Fatal(err)
	}
	f = reopen(t, f, onlyReserve(dir))
	wantKept(t, f, "/a", "new")
	writes(t, f, "/a")
	wantKept(t, reopen(t, f, onlyReserve(dir)), "/a")
}

// TestRefuge: what neither the usual place nor the reserve takes is written to a folder of this user
// elsewhere.
func TestRefuge(t *testing.T) {
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "refuge")
	opts := recovery.Options{Dir: dir, Refuges: []string{elsewhere}}
	f := open(t, opts)
	if _, _, err := f.Read("/a"); err != nil {
		t.Fatal(err)
	}
	free := block(t, dir, "/a")
	if spot := writes(t, f, "/a", "mine"); spot != (overlay.Spot{Path: elsewhere, ShortLived: true}) {
		t.Errorf("it is in %+v", spot)
	}
	free()
	for _, path := range []string{elsewhere, onlyFile(t, elsewhere, "*")} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	write(t, onlyFile(t, elsewhere, "*")+".new", nil) // as a program leaves it that is killed while it writes
	another := recovery.Options{Dir: t.TempDir(), Refuges: opts.Refuges}
	wantKept(t, open(t, another), "/a")
	f = reopen(t, f, opts)
	wantKept(t, f, "/a", "mine")
	writes(t, f, "/a", "mine", "and more")
	if _, err := os.Lstat(elsewhere); err == nil {
		t.Error("the folder is left")
	}
	wantKept(t, reopen(t, f, opts), "/a", "mine", "and more")
}

// TestWhereFilesAre: a start learns in which place the files are.
func TestWhereFilesAre(t *testing.T) {
	opts := recovery.Options{Dir: t.TempDir(), Refuges: []string{filepath.Join(t.TempDir(), "refuge")}}
	f := open(t, opts)
	wantKept(t, f, "/reserve") // it has a reserve from now on
	for root, want := range map[string]overlay.Spot{
		"/usual": {}, "/reserve": {Path: opts.Dir}, "/refuge": {Path: opts.Refuges[0], ShortLived: true},
	} {
		if want.Path != "" {
			free := block(t, opts.Dir, root)
			writes(t, f, root, "mine")
			free()
		} else {
			writes(t, f, root, "mine")
		}
	}
	f = reopen(t, f, opts)
	for root, want := range map[string]overlay.Spot{
		"/usual": {}, "/reserve": {Path: opts.Dir}, "/refuge": {Path: opts.Refuges[0], ShortLived: true}, "/none": {},
	} {
		if _, spot, err := f.Read(root); err != nil || spot != want {
			t.Errorf("%s: %+v, %v", root, spot, err)
		}
	}
}

// TestRefugeGoesAway: a refuge that is removed, as at a log-out, has no content and nothing to remove.
func TestRefugeGoesAway(t *testing.T) {
	opts := recovery.Options{Dir: t.TempDir(), Refuges: []string{filepath.Join(t.TempDir(), "session", "refuge")}}
	session := filepath.Dir(opts.Refuges[0])
	f := open(t, opts)
	if err := os.Mkdir(session, 0o700); err != nil {
		t.Fatal(err)
	}
	free := block(t, opts.Dir, "/a")
	writes(t, f, "/a", "mine")
	if !f.Has("/a") {
		t.Error("it does not hold what was written just now")
	}
	if err := os.RemoveAll(session); err != nil {
		t.Fatal(err)
	}
	if f.Has("/a") {
		t.Error("it holds what went away")
	}
	if spot, err := f.Write("/a", []overlay.RecoveryDraft{draftOf("/a", "again")}); err == nil {
		t.Errorf("it is in %+v", spot)
	}
	free()
	for _, list := range [][]overlay.RecoveryDraft{nil, {draftOf("/a", "in the usual place")}, nil} {
		if _, err := f.Write("/a", list); err != nil {
			t.Errorf("%d drafts: %v", len(list), err)
		}
	}
}

// TestDeletedReserve: a reserve is made again when somebody deleted it, or its lock, to make space. It
// is empty until something is written.
func TestDeletedReserve(t *testing.T) {
	for _, deleted := range []string{"unsaved-reserve-1", "unsaved-reserve-1.lock"} {
		dir := t.TempDir()
		f := open(t, onlyReserve(dir))
		wantKept(t, f, "/a")
		block(t, dir, "/a")
		writes(t, f, "/a", "before")
		if err := os.Remove(filepath.Join(dir, deleted)); err != nil {
			t.Fatal(err)
		}
		if err := f.SetAside(); err != nil {
			t.Fatal(err)
		}
		if f.Has("/a") {
			t.Errorf("without %s it holds what was in the reserve", deleted)
		}
		if spot := writes(t, f, "/a", "after"); spot != (overlay.Spot{Path: dir}) || !f.Has("/a") {
			t.Errorf("without %s it is in %+v", deleted, spot)
		}
	}
}

// TestDeletedReserveHasNothingToRemove: removing drafts from a deleted reserve is not an error.
func TestDeletedReserveHasNothingToRemove(t *testing.T) {
	dir := t.TempDir()
	f := open(t, onlyReserve(dir))
	wantKept(t, f, "/a")
	block(t, dir, "/a")
	writes(t, f, "/a", "mine")
	if err := os.Remove(filepath.Join(dir, "unsaved-reserve-1")); err != nil {
		t.Fatal(err)
	}
	if f.Has("/a") {
		t.Error("it holds what was deleted")
	}
	if _, err := f.Write("/a", nil); err != nil {
		t.Error(err)
	}
}

// TestRefugeOfOthers: a folder to which others have access is neither written nor read.
func TestRefugeOfOthers(t *testing.T) {
	dir, above := t.TempDir(), t.TempDir()
	elsewhere := filepath.Join(above, "refuge")
	opts := recovery.Options{Dir: dir, Refuges: []string{elsewhere}}
	f := open(t, opts)
	if _, _, err := f.Read("/a"); err != nil {
		t.Fatal(err)
	}
	free := block(t, dir, "/a")
	writes(t, f, "/a", "mine")
	free()
	f = reopen(t, f, opts)
	aside := filepath.Join(above, "aside")
	refused := func(what string) {
		t.Helper()
		wantKept(t, f, "/a")
		free := block(t, dir, "/a")
		defer free()
		f.Release("/a") // without its reserve
		if spot, err := f.Write("/a", []overlay.RecoveryDraft{draftOf("/a", "other")}); err == nil {
			t.Errorf("%s: it is in %+v", what, spot)
		}
	}
	if err := errors.Join(os.Rename(elsewhere, aside), os.Symlink(aside, elsewhere)); err != nil {
		t.Fatal(err)
	}
	refused("a link")
	if err := errors.Join(os.Remove(elsewhere), syscall.Mkfifo(elsewhere, 0o700)); err != nil {
		t.Fatal(err)
	}
	refused("a pipe, which is not opened: nobody writes into it")
	if err := errors.Join(os.Remove(elsewhere), os.Rename(aside, elsewhere), os.Chmod(elsewhere, 0o755)); err != nil {
		t.Fatal(err)
	}
	refused("open to others")
	if os.Getuid() == 0 {
		if err := errors.Join(os.Chmod(elsewhere, 0o700), os.Chown(elsewhere, 12345, -1)); err != nil {
			t.Fatal(err)
		}
		refused("another user's")
		if err := os.Chown(elsewhere, 0, -1); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	wantKept(t, f, "/a", "mine")
}

// TestWrittenOnAFullDisk: on a disk without a free byte, each change is written to reserved space. A
// text that is too large for it is written elsewhere. Where no place is left, the write fails.
func TestWrittenOnAFullDisk(t *testing.T) {
	fulldisk.Run(t, 32<<20, func(t *testing.T, disk *fulldisk.Disk) {
		elsewhere := filepath.Join(t.TempDir(), "refuge")
		opts := recovery.Options{Dir: filepath.Join(disk.Dir, "data"), Refuges: []string{elsewhere}}
		f := open(t, opts)
		wantKept(t, f, "/a")
		wantKept(t, f, "/b")
		writes(t, f, "/a", "typed while there was room")
		disk.Fill(t)
		text := strings.Repeat("a line of a config\n", 50_000)
		for i := range 20 {
			if spot := writes(t, f, "/a", text[i:]); spot != (overlay.Spot{Path: opts.Dir}) {
				t.Fatalf("it is in %+v", spot)
			}
		}
		noise := strings.Builder{}
		for sum := sha256.Sum256(nil); noise.Len() < 8<<20; sum = sha256.Sum256(sum[:]) {
			noise.WriteString(hex.EncodeToString(sum[:]))
		}
		if spot := writes(t, f, "/b", noise.String()); !spot.ShortLived {
			t.Fatalf("it is in %+v", spot)
		}
		again := reopen(t, f, opts)
		wantKept(t, again, "/a", text[19:])
		wantKept(t, again, "/b", noise.String())
		disk.Free(t)
		for root, want := range map[string]string{"/a": text[19:], "/b": noise.String()} {
			if spot := writes(t, again, root, want); spot != (overlay.Spot{}) {
				t.Errorf("it is in %+v", spot)
			}
		}
		wantKept(t, reopen(t, again, opts), "/a", text[19:])
	})
}
