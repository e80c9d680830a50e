package write_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"conch/repo/write"
)

// TestGroupOfAColleague: a file of a colleague stays in the group that both are in, and its permissions stay.
func TestGroupOfAColleague(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become two people")
	}
	const alice, bob, team = 61_001, 61_002, 61_003
	dir, err := os.MkdirTemp("/tmp", "conch-group-") // others get there
	check(t, err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "config.pbtxt")
	check(t, os.WriteFile(path, []byte("hers"), 0o660))
	check(t, os.Chmod(path, 0o660))
	check(t, os.Chown(path, alice, team))
	check(t, os.Chown(dir, alice, team))
	check(t, os.Chmod(dir, 0o775))
	saved := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with this goroutine, so nobody else becomes bob
		if err := become(bob, team); err != nil {
			saved <- err
			return
		}
		_, now, err := write.Read(path)
		if err == nil {
			_, err = write.Save(path, []byte("ours"), now)
		}
		saved <- err
	}()
	check(t, <-saved)
	info, err := os.Stat(path)
	check(t, err)
	if st := info.Sys().(*syscall.Stat_t); st.Gid != team || info.Mode().Perm() != 0o660 {
		t.Errorf("group %d, permissions %v", st.Gid, info.Mode().Perm())
	}
}

// TestFolderOfSomebodyElse: who may not write in a folder is told whose it is; only an owner can change its permissions.
func TestFolderOfSomebodyElse(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become two people")
	}
	const alice, bob, team = 61_001, 61_002, 61_003
	dir, err := os.MkdirTemp("/tmp", "conch-owner-") // others get there
	check(t, err)
	defer os.RemoveAll(dir)
	check(t, os.Chmod(dir, 0o555))
	create := func(owner int) error {
		check(t, os.Chown(dir, owner, team))
		made := make(chan error)
		go func() {
			runtime.LockOSThread() // the thread ends with this goroutine, so nobody else becomes bob
			if err := become(bob, team); err != nil {
				made <- err
				return
			}
			_, err := write.Waiting{}.NewModel(dir, "m", []byte("x"), nil)
			made <- err
		}()
		return <-made
	}
	hers := create(alice)
	wantWords(t, hers, "cannot create "+dir, "permission denied", "belongs to the user with the number 61001")
	if strings.Contains(hers.Error(), "chmod") {
		t.Errorf("no chmod of bob helps: %v", hers)
	}
	wantWords(t, create(bob), "permission denied", "chmod u+w")
}

// become makes this thread one of a user in a second group.
func become(user, group int) error {
	groups := []uint32{uint32(group)}
	if _, _, err := unix.RawSyscall(unix.SYS_SETGROUPS, 1, uintptr(unsafe.Pointer(&groups[0])), 0); err != 0 {
		return err
	}
	if _, _, err := unix.RawSyscall(unix.SYS_SETRESGID, uintptr(user), uintptr(user), uintptr(user)); err != 0 {
		return err
	}
	if _, _, err := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(user), uintptr(user), uintptr(user)); err != 0 {
		return err
	}
	return nil
}
