package store_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/app/store"
	"conch/app/userfile"
)

// TestReplaceDoesNotWaitForEver: while another program has the lock, a damaged history is not replaced,
// and the error says why. Once the lock is free, the next write begins a new history.
func TestReplaceDoesNotWaitForEver(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be damaged there")
	}
	dir := t.TempDir()
	kept(t, dir, "before")
	s := open(t, store.Options{Dir: dir})
	if err := errors.Join(
		os.WriteFile(s.Path(), []byte(strings.Repeat("not a database ", 999)), userfile.FileMode),
		os.RemoveAll(s.Path()+"-wal"), os.RemoveAll(s.Path()+"-shm"),
	); err != nil {
		t.Fatal(err)
	}
	lock, err := userfile.TryLock(s.Path() + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	s.AddEvent(store.Event{Repository: "/r", Time: time.Now(), Text: "an event"})
	failed := make(chan error, 1)
	go func() { failed <- s.Flush(t.Context()) }()
	select {
	case err := <-failed:
		if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), "another Conch is opening or repairing it") {
			t.Errorf("while the lock is taken: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the write waits for the lock for ever")
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Errorf("when the lock is free: %v", err)
	}
	list, err := s.Events(t.Context(), store.Query{Repository: "/r", From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour)})
	if err != nil || len(list) != 1 {
		t.Errorf("%d events, %v", len(list), err)
	}
}

// TestTemporaryHistoryIsInTheDataFolder: cleaners of the folder for temporary files cannot remove it
// while it is in use, and the next start removes what a killed program left.
func TestTemporaryHistoryIsInTheDataFolder(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	path := kept(t, dir, "before")
	t.Setenv("TMPDIR", temp)
	left := filepath.Join(dir, "conch-history-"+endedProcess(t)+"-1")
	if err := os.Mkdir(left, userfile.DirMode); err != nil {
		t.Fatal(err)
	}
	longAgo := time.Now().Add(-100 * time.Hour)
	if err := os.Chtimes(left, longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
	release := lock(t, path, "BEGIN EXCLUSIVE")
	s := open(t, store.Options{Dir: dir})
	if made, _ := filepath.Glob(filepath.Join(dir, "conch-history-*", store.FileName)); len(made) != 1 {
		t.Errorf("in the data folder: %v", made)
	}
	if files, err := os.ReadDir(temp); err != nil || len(files) > 0 {
		t.Errorf("in the folder for temporary files: %v, %v", files, err)
	}
	release()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if made, _ := filepath.Glob(filepath.Join(dir, "conch-history-*")); len(made) > 0 {
		t.Errorf("left in the data folder: %v", made)
	}
}

// TestWaitingRequestsAreBounded: the requests that wait for a file that cannot be written take a
// bounded amount of memory, and Conch says that the oldest are missing.
func TestWaitingRequestsAreBounded(t *testing.T) {
	dir := t.TempDir()
	path := kept(t, dir, "before")
	release := lock(t, path, "BEGIN EXCLUSIVE")
	s := open(t, store.Options{Dir: dir})
	const added = 100
	body := make([]byte, 1<<20)
	for range added {
		s.AddRequest(store.Request{Repository: "/r", Model: "m", Time: time.Now(), RequestBody: body})
	}
	list, err := s.Requests(t.Context(), "/r", "m", added)
	if err != nil || len(list) != 64 {
		t.Errorf("%d requests of a megabyte wait, %v", len(list), err)
	}
	told := make(chan string, 8)
	s.Follow(func(trouble string) { told <- trouble })
	<-told // that the history is locked
	release()
	if text := <-told; !strings.Contains(text, "the oldest of it is missing") {
		t.Errorf("told %q", text)
	}
}

// endedProcess returns the number of a process that has ended.
func endedProcess(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(cmd.Process.Pid)
}
