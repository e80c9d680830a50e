package fulldisk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// child is set in a process that may mount, because it is in a namespace of its own. It names the file
// that the process makes when the test has run.
const child = "CONCH_TEST_FULL_DISK"

// Disk is a small disk.
type Disk struct {
	Dir  string
	size int64
}

// Run runs a test with a disk of this size. The test may run in another process.
func Run(t *testing.T, size int64, test func(t *testing.T, disk *Disk)) {
	t.Helper()
	reportRun(t)
	dir := t.TempDir()
	err := unix.Mount("conch-test", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", size))
	switch {
	case err == nil:
		t.Cleanup(func() {
			if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
		test(t, &Disk{Dir: dir, size: size})
	case os.Getenv(child) == "" && errors.Is(err, unix.EPERM):
		runInNamespace(t)
	default:
		t.Skipf("no small disk can be mounted here: %v", err)
	}
}

// reportRun makes a process in a namespace report that the test has run and was not skipped.
func reportRun(t *testing.T) {
	report := os.Getenv(child)
	if report == "" {
		return
	}
	t.Cleanup(func() {
		if t.Skipped() {
			return
		}
		if err := os.WriteFile(report, nil, 0o600); err != nil {
			t.Error(err)
		}
	})
}

// runInNamespace runs this test in a process that is root in a user namespace. If the test is skipped
// there, it is skipped here.
func runInNamespace(t *testing.T) {
	t.Helper()
	cmd := inNamespace("-test.run=^"+t.Name()+"$", "-test.v")
	report := filepath.Join(t.TempDir(), "ran")
	cmd.Env = append(os.Environ(), child+"="+report)
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		t.Errorf("%v\n%s", err, out)
	case err != nil:
		t.Skipf("no user namespace can be made here: %v", err)
	default:
		t.Logf("%s", out)
		if _, err := os.Stat(report); err != nil {
			t.Skip("the test did not run in a user namespace; its output is above")
		}
	}
}

// inNamespace returns the command that runs this test binary as root in a user namespace.
func inNamespace(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	return cmd
}

// Fill fills the disk to the last byte.
func (d *Disk) Fill(t *testing.T) {
	t.Helper()
	f, err := os.Create(d.filler())
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.CopyN(f, zeros{}, d.size)
	if err = errors.Join(err, f.Close()); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("the disk did not become full: %v", err)
	}
}

// Free frees the space that Fill took.
func (d *Disk) Free(t *testing.T) {
	t.Helper()
	if err := os.Remove(d.filler()); err != nil {
		t.Fatal(err)
	}
}

func (d *Disk) filler() string { return filepath.Join(d.Dir, "filler") }

// zeros is an endless reader of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
