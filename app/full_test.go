//go:build unix

package app_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/app/apptest"
	"conch/build/fulldisk"
)

// told reports whether a notice with these words was sent to the page.
func told(words string) func(s *apptest.Snapshot) bool {
	return func(s *apptest.Snapshot) bool { return strings.Contains(strings.Join(s.Notices, "\n"), words) }
}

// untilReserved waits until space is reserved. That takes a second from the start.
func untilReserved(t *testing.T, dataDir string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) { // another process reserves it
		if _, err := os.Stat(filepath.Join(dataDir, "unsaved-reserve-1")); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal("no space is reserved")
		}
	}
}

// overlong makes a text larger than the space that a journal has used before.
func overlong(text string) string { return text + strings.Repeat("# a line of a remark\n", 200_000) }

// TestTypedOnAFullDisk: what is typed while the disk of the data folder is full outlives kill -9 and
// an orderly end. The page is told where the text is, and when the disk has space again.
func TestTypedOnAFullDisk(t *testing.T) {
	fulldisk.Run(t, 64<<20, func(t *testing.T, disk *fulldisk.Disk) {
		root, dataDir := apptest.CopyExamples(t), filepath.Join(disk.Dir, "data")
		saved := overlong(apptest.ReadFile(t, filepath.Join(root, "digits", "config.pbtxt")))
		c := startChild(t, root, dataDir)
		untilReserved(t, dataDir)
		disk.Fill(t)
		c.typed(t, root, "digits", saved+"# before kill -9", 0)
		c.Until(t, "the page is told where it is", told("in space that was reserved there. Free some space"))
		c.Until(t, "a page that is opened later is told too", told("in space that was reserved there. Free some space"))
		c.kill()

		c = startChild(t, root, dataDir)
		d := c.read(t, "digits").Draft
		if d.GetText() != saved+"# before kill -9" {
			t.Fatalf("after kill -9 there are %d bytes", len(d.GetText()))
		}
		c.typed(t, root, "digits", saved+"# before an orderly end", d.Version)
		if status, said := c.end(t); strings.Contains(said, "are lost") {
			t.Errorf("exit status %d: %s", status, said)
		}

		c = startChild(t, root, dataDir)
		if d := c.read(t, "digits").Draft; d.GetText() != saved+"# before an orderly end" {
			t.Fatalf("after an orderly end there are %d bytes", len(d.GetText()))
		}
		disk.Free(t)
		if status, said := c.end(t); status != 0 {
			t.Errorf("exit status %d: %s", status, said)
		}
		c = startChild(t, root, dataDir)
		d = c.read(t, "digits").Draft
		if d.GetText() != saved+"# before an orderly end" {
			t.Fatalf("on a disk with space there are %d bytes", len(d.GetText()))
		}
		untilReserved(t, dataDir)
		disk.Fill(t)
		c.typed(t, root, "digits", saved+"# again", d.Version)
		c.Until(t, "the page is told where it is", told("in space that was reserved there"))
		disk.Free(t)
		c.Until(t, "the page is told that it is over", told("kept as usual again"))
		c.kill()
		waitKept(t, dataDir, root, saved+"# again")
	})
}

// TestNoPlaceIsLeft: where no place takes an unsaved text, the page is told whose it is and what to
// do. An orderly end tries for a while, so that a person can free space, and then says what is lost.
func TestNoPlaceIsLeft(t *testing.T) {
	fulldisk.Run(t, 3<<20, func(t *testing.T, disk *fulldisk.Disk) { // too small for a reserve
		root, dataDir := apptest.CopyExamples(t), filepath.Join(disk.Dir, "data")
		config := filepath.Join(root, "digits", "config.pbtxt")
		saved := overlong(apptest.ReadFile(t, config))
		start := func() *childRun { return startChild(t, root, dataDir, "XDG_RUNTIME_DIR="+disk.Dir, "TMPDIR="+disk.Dir) }
		c := start()
		disk.Fill(t)
		c.typed(t, root, "digits", saved, 0)
		s := c.Until(t, "the page is told", told("They are lost when Conch ends. Free some space in "+dataDir))
		if words := strings.Join(s.Notices, "\n"); !strings.Contains(words, "Unsaved changes of "+config+" cannot be kept: the disk is full") {
			t.Errorf("told %s", words)
		}
		if status, said := c.end(t); status == 0 || !strings.Contains(said, "the unsaved changes of these files are lost, since the disk is full: "+config) {
			t.Errorf("exit status %d: %s", status, said)
		}
	})
}

// TestRefugeEndToEnd: a text is only in a folder that does not outlive the session. The page is told
// so, in the next run too. When that folder is removed, the text goes to the next place. An orderly
// end says where it is. When the disk has space again, it is kept as usual.
func TestRefugeEndToEnd(t *testing.T) {
	fulldisk.Run(t, 3<<20, func(t *testing.T, disk *fulldisk.Disk) { // too small for a reserve
		root, dataDir := apptest.CopyExamples(t), filepath.Join(disk.Dir, "data")
		temporary, session := t.TempDir(), t.TempDir()
		typed := overlong(apptest.ReadFile(t, filepath.Join(root, "digits", "config.pbtxt")))[:1<<20]
		start := func() *childRun { return startChild(t, root, dataDir, "XDG_RUNTIME_DIR="+session, "TMPDIR="+temporary) }
		in := func(dir string) func(s *apptest.Snapshot) bool {
			return told("They are in " + dir + string(filepath.Separator))
		}
		c := start()
		disk.Fill(t)
		c.typed(t, root, "digits", typed, 0)
		c.Until(t, "the page is told where it is", in(temporary))
		c.kill()

		c = start()
		if d := c.read(t, "digits").Draft; d.GetText() != typed {
			t.Fatalf("after kill -9 there are %d bytes", len(d.GetText()))
		}
		c.Until(t, "the page of the next run is told too", in(temporary))
		folder := filepath.Join(temporary, fmt.Sprint("conch-unsaved-", os.Geteuid()))
		if err := errors.Join(os.RemoveAll(folder), os.WriteFile(folder, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		c.Until(t, "the page is told of the next folder", in(session))
		if status, said := c.end(t); status == 0 || !strings.Contains(said, "digits/config.pbtxt. Free some space in "+dataDir) || !strings.Contains(said, "are in "+session) {
			t.Errorf("exit status %d: %s", status, said)
		}

		c = start()
		if d := c.read(t, "digits").Draft; d.GetText() != typed {
			t.Fatalf("after an orderly end there are %d bytes", len(d.GetText()))
		}
		c.Until(t, "the page is told again", in(session))
		disk.Free(t)
		c.Until(t, "the page is told that it is over", told("kept as usual again"))
		c.kill()
		waitKept(t, dataDir, root, typed)
	})
}
