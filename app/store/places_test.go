//go:build unix

package store_test

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

	"conch/app/fulldisk"
	"conch/app/store"
)

// block has nothing more be written in the usual place of a root, for any user.
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

// use opens a root in a store, as a workbench does.
func use(t *testing.T, s *store.Store, root string) []store.Parked {
	t.Helper()
	list, _, err := s.Parked(root)
	if err = errors.Join(err, s.SetAside()); err != nil {
		t.Fatal(err)
	}
	return list
}

func parks(t *testing.T, s *store.Store, root string, texts ...string) store.Spot {
	t.Helper()
	var list []store.Parked
	for _, text := range texts {
		list = append(list, parkedDraft(root, text))
	}
	spot, err := s.Park(root, list)
	if err != nil {
		t.Fatal(err)
	}
	return spot
}

func reopen(t *testing.T, s *store.Store, opts store.Options) *store.Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, opts)
}

// wantParked says what a start finds.
func wantParked(t *testing.T, s *store.Store, root string, texts ...string) {
	t.Helper()
	var got []string
	for _, p := range use(t, s, root) {
		got = append(got, p.Text)
	}
	if strings.Join(got, "|") != strings.Join(texts, "|") {
		t.Errorf("of %s there is %q, want %q", root, got, texts)
	}
}

// onlyReserve has a store without refuges.
func onlyReserve(dir string) store.Options { return store.Options{Dir: dir, Refuges: []string{}} }

// TestReserve: where the usual place takes nothing, drafts are in reserved space, at the next start too, until they are in the
// usual place or removed.
func TestReserve(t *testing.T) {
	dir := t.TempDir()
	s := open(t, onlyReserve(dir))
	wantParked(t, s, "/a")
	wantParked(t, s, "/b")
	free := block(t, dir, "/a")
	for _, text := range []string{"m", "mi", "mine"} {
		if spot := parks(t, s, "/a", text); spot != (store.Spot{Path: dir}) {
			t.Errorf("it is in %+v", spot)
		}
	}
	free()
	s = reopen(t, s, onlyReserve(dir))
	wantParked(t, s, "/b")
	wantParked(t, s, "/a", "mine")
	if spot := parks(t, s, "/a", "mine", "and more"); spot != (store.Spot{}) {
		t.Errorf("it is in %+v", spot)
	}
	s = reopen(t, s, onlyReserve(dir))
	wantParked(t, s, "/a", "mine", "and more")
	parks(t, s, "/a")
	s = reopen(t, s, onlyReserve(dir))
	wantParked(t, s, "/a")
	if files, _ := filepath.Glob(filepath.Join(dir, "unsaved-reserve-?")); len(files) != 2 {
		t.Errorf("two roots were open at a time, and the reserves are %v", files)
	}
}

// TestReserveOfAnother: a reserve belongs to one program at a time; what a program leaves is taken up by another.
func TestReserveOfAnother(t *testing.T) {
	dir := t.TempDir()
	first, second := open(t, onlyReserve(dir)), open(t, onlyReserve(dir))
	wantParked(t, first, "/a")
	wantParked(t, second, "/b")
	block(t, dir, "/a")
	block(t, dir, "/b")
	parks(t, first, "/a", "a")
	parks(t, second, "/b", "b")
	first.Leave("/a")
	if err := os.RemoveAll(onlyFile(t, dir, "unsaved-"+nameOf("/a"))); err != nil {
		t.Fatal(err)
	}
	wantParked(t, second, "/a", "a")
}

func nameOf(root string) string {
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:16]) + ".json"
}

// TestReserveCutOff: a write that is cut off leaves what was there before.
func TestReserveCutOff(t *testing.T) {
	dir := t.TempDir()
	s := open(t, onlyReserve(dir))
	wantParked(t, s, "/a")
	free := block(t, dir, "/a")
	parks(t, s, "/a", "before")
	path := onlyFile(t, dir, "unsaved-reserve-1")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	parks(t, s, "/a", "after")
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
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
		s := open(t, onlyReserve(dir))
		wantParked(t, s, "/a", "before")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
	write(t, path, after)
	wantParked(t, open(t, onlyReserve(dir)), "/a", "after")
}

// TestNewestPlace: what could not be removed from one place does not come back over what is in another.
func TestNewestPlace(t *testing.T) {
	dir := t.TempDir()
	s := open(t, onlyReserve(dir))
	wantParked(t, s, "/a")
	parks(t, s, "/a", "old")
	usual := onlyFile(t, dir, "unsaved-*.json")
	if err := os.Rename(usual, usual+".old"); err != nil {
		t.Fatal(err)
	}
	free := block(t, dir, "/a")
	parks(t, s, "/a", "new")
	free()
	if err := os.Rename(usual+".old", usual); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, s, onlyReserve(dir))
	wantParked(t, s, "/a", "new")
	parks(t, s, "/a")
	wantParked(t, reopen(t, s, onlyReserve(dir)), "/a")
}

// TestRefuge: what neither the usual place nor the reserve takes is in a folder of this user elsewhere.
func TestRefuge(t *testing.T) {
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "refuge")
	opts := store.Options{Dir: dir, Refuges: []string{elsewhere}}
	s := open(t, opts)
	if _, _, err := s.Parked("/a"); err != nil {
		t.Fatal(err)
	}
	free := block(t, dir, "/a")
	if spot := parks(t, s, "/a", "mine"); spot != (store.Spot{Path: elsewhere, Passing: true}) {
		t.Errorf("it is in %+v", spot)
	}
	free()
	for _, path := range []string{elsewhere, onlyFile(t, elsewhere, "*")} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	write(t, onlyFile(t, elsewhere, "*")+".new", nil) // as a program leaves it that is killed while it writes
	another := store.Options{Dir: t.TempDir(), Refuges: opts.Refuges}
	wantParked(t, open(t, another), "/a")
	s = reopen(t, s, opts)
	wantParked(t, s, "/a", "mine")
	parks(t, s, "/a", "mine", "and more")
	if _, err := os.Lstat(elsewhere); err == nil {
		t.Error("the folder is left")
	}
	wantParked(t, reopen(t, s, opts), "/a", "mine", "and more")
}

// TestWhereParkedDraftsAre: a start learns in which place they are.
func TestWhereParkedDraftsAre(t *testing.T) {
	opts := store.Options{Dir: t.TempDir(), Refuges: []string{filepath.Join(t.TempDir(), "refuge")}}
	s := open(t, opts)
	wantParked(t, s, "/reserve") // and it has a reserve from now on
	for root, want := range map[string]store.Spot{
		"/usual": {}, "/reserve": {Path: opts.Dir}, "/refuge": {Path: opts.Refuges[0], Passing: true},
	} {
		if want.Path != "" {
			free := block(t, opts.Dir, root)
			parks(t, s, root, "mine")
			free()
		} else {
			parks(t, s, root, "mine")
		}
	}
	s = reopen(t, s, opts)
	for root, want := range map[string]store.Spot{
		"/usual": {}, "/reserve": {Path: opts.Dir}, "/refuge": {Path: opts.Refuges[0], Passing: true}, "/none": {},
	} {
		if _, spot, err := s.Parked(root); err != nil || spot != want {
			t.Errorf("%s: %+v, %v", root, spot, err)
		}
	}
}

// TestRefugeGoesAway: a folder that goes away, as at a log-out, holds nothing and has nothing to remove.
func TestRefugeGoesAway(t *testing.T) {
	opts := store.Options{Dir: t.TempDir(), Refuges: []string{filepath.Join(t.TempDir(), "session", "refuge")}}
	session := filepath.Dir(opts.Refuges[0])
	s := open(t, opts)
	if err := os.Mkdir(session, 0o700); err != nil {
		t.Fatal(err)
	}
	free := block(t, opts.Dir, "/a")
	parks(t, s, "/a", "mine")
	if !s.Holds("/a") {
		t.Error("it does not hold what was parked just now")
	}
	if err := os.RemoveAll(session); err != nil {
		t.Fatal(err)
	}
	if s.Holds("/a") {
		t.Error("it holds what went away")
	}
	if spot, err := s.Park("/a", []store.Parked{parkedDraft("/a", "again")}); err == nil {
		t.Errorf("it is in %+v", spot)
	}
	free()
	for _, list := range [][]store.Parked{nil, {parkedDraft("/a", "in the usual place")}, nil} {
		if _, err := s.Park("/a", list); err != nil {
			t.Errorf("%d drafts: %v", len(list), err)
		}
	}
}

// TestDeletedReserve: one that somebody deleted to make space, or whose lock was deleted, is made again, and holds nothing until
// something is parked.
func TestDeletedReserve(t *testing.T) {
	for _, deleted := range []string{"unsaved-reserve-1", "unsaved-reserve-1.lock"} {
		dir := t.TempDir()
		s := open(t, onlyReserve(dir))
		wantParked(t, s, "/a")
		block(t, dir, "/a")
		parks(t, s, "/a", "before")
		if err := os.Remove(filepath.Join(dir, deleted)); err != nil {
			t.Fatal(err)
		}
		if err := s.SetAside(); err != nil {
			t.Fatal(err)
		}
		if s.Holds("/a") {
			t.Errorf("without %s it holds what was in the reserve", deleted)
		}
		if spot := parks(t, s, "/a", "after"); spot != (store.Spot{Path: dir}) || !s.Holds("/a") {
			t.Errorf("without %s it is in %+v", deleted, spot)
		}
	}
}

// TestDeletedReserveHasNothingToRemove: that drafts of a deleted reserve are no longer needed is no error.
func TestDeletedReserveHasNothingToRemove(t *testing.T) {
	dir := t.TempDir()
	s := open(t, onlyReserve(dir))
	wantParked(t, s, "/a")
	block(t, dir, "/a")
	parks(t, s, "/a", "mine")
	if err := os.Remove(filepath.Join(dir, "unsaved-reserve-1")); err != nil {
		t.Fatal(err)
	}
	if s.Holds("/a") {
		t.Error("it holds what was deleted")
	}
	if _, err := s.Park("/a", nil); err != nil {
		t.Error(err)
	}
}

// TestRefugeOfOthers: a folder that is not this user's alone takes nothing and gives nothing.
func TestRefugeOfOthers(t *testing.T) {
	dir, above := t.TempDir(), t.TempDir()
	elsewhere := filepath.Join(above, "refuge")
	opts := store.Options{Dir: dir, Refuges: []string{elsewhere}}
	s := open(t, opts)
	if _, _, err := s.Parked("/a"); err != nil {
		t.Fatal(err)
	}
	free := block(t, dir, "/a")
	parks(t, s, "/a", "mine")
	free()
	s = reopen(t, s, opts)
	aside := filepath.Join(above, "aside")
	refused := func(what string) {
		t.Helper()
		wantParked(t, s, "/a")
		free := block(t, dir, "/a")
		defer free()
		s.Leave("/a") // without its reserve
		if spot, err := s.Park("/a", []store.Parked{parkedDraft("/a", "other")}); err == nil {
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
	wantParked(t, s, "/a", "mine")
}

// TestParkedOnAFullDisk: what is typed on a disk without a free byte is in reserved space, as often as it changes; where that
// is too small it is elsewhere, and where there is nothing else the writing fails.
func TestParkedOnAFullDisk(t *testing.T) {
	fulldisk.Run(t, 32<<20, func(t *testing.T, disk *fulldisk.Disk) {
		elsewhere := filepath.Join(t.TempDir(), "refuge")
		opts := store.Options{Dir: filepath.Join(disk.Dir, "data"), Refuges: []string{elsewhere}}
		s := open(t, opts)
		wantParked(t, s, "/a")
		wantParked(t, s, "/b")
		parks(t, s, "/a", "typed while there was room")
		disk.Fill(t)
		if err := s.SaveDrafts(t.Context(), []store.Draft{{Root: "/a", Path: "p", Text: strings.Repeat("x", 40<<20), Version: 1}}, nil); err == nil {
			t.Fatal("the disk is not full")
		}
		text := strings.Repeat("a line of a config\n", 50_000)
		for i := range 20 {
			if spot := parks(t, s, "/a", text[i:]); spot != (store.Spot{Path: opts.Dir}) {
				t.Fatalf("it is in %+v", spot)
			}
		}
		noise := strings.Builder{}
		for sum := sha256.Sum256(nil); noise.Len() < 8<<20; sum = sha256.Sum256(sum[:]) {
			noise.WriteString(hex.EncodeToString(sum[:]))
		}
		if spot := parks(t, s, "/b", noise.String()); !spot.Passing {
			t.Fatalf("it is in %+v", spot)
		}
		_ = s.Close()                                                                              // history may not be written
		again := open(t, store.Options{Dir: t.TempDir(), Drafts: opts.Dir, Refuges: opts.Refuges}) // as a workbench does then
		wantParked(t, again, "/a", text[19:])
		wantParked(t, again, "/b", noise.String())
		disk.Free(t)
		for root, want := range map[string]string{"/a": text[19:], "/b": noise.String()} {
			if spot := parks(t, again, root, want); spot != (store.Spot{}) {
				t.Errorf("it is in %+v", spot)
			}
		}
		wantParked(t, reopen(t, again, opts), "/a", text[19:])
	})
}
