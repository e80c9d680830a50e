package write_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"conch/build/fulldisk"
	"conch/repo/trash"
	"conch/repo/write"
)

// ownMounts runs a test in a process that may mount, with a folder. The mounts are those of that process alone.
func ownMounts(t *testing.T, test func(t *testing.T, root string)) {
	t.Helper()
	const inside = "CONCH_TEST_MOUNTS"
	if root := os.Getenv(inside); root != "" {
		test(t, root)
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	command.Env = append(os.Environ(), inside+"="+t.TempDir())
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := command.CombinedOutput()
	if err != nil && (len(out) == 0 || strings.Contains(string(out), "no mounts here")) {
		t.Skipf("this user may not mount: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// mountedVersion makes a model whose version 1 is a mount of a folder elsewhere on the same disk.
func mountedVersion(t *testing.T, root string) (model string) {
	t.Helper()
	model = filepath.Join(root, "model")
	for _, dir := range []string{filepath.Join(model, "1"), filepath.Join(root, "elsewhere")} {
		check(t, os.MkdirAll(dir, 0o755))
	}
	if err := syscall.Mount(filepath.Join(root, "elsewhere"), filepath.Join(model, "1"), "", syscall.MS_BIND, ""); err != nil {
		t.Fatal("no mounts here:", err)
	}
	return model
}

// TestNewFileOnAnotherMount: a file is made in a folder that is a mount of its own, of the same disk as what waits: no rename leads there.
func TestNewFileOnAnotherMount(t *testing.T) {
	ownMounts(t, func(t *testing.T, root string) {
		model, data := mountedVersion(t, root), filepath.Join(root, "data")
		check(t, os.Mkdir(data, 0o755))
		waiting := write.Waiting{Places: []string{data}}
		for _, rel := range []string{"1/labels.txt", "1/more/notes.txt"} {
			path := filepath.Join(model, rel)
			check(t, waiting.NewFile(path, []byte("x")))
			wantContent(t, path, "x")
		}
		if left, err := filepath.Glob(filepath.Join(model, "1", ".*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %q, %v", left, err)
		}
	})
}

// TestDeleteOnAnotherMount: a folder that is a mount, and one that has a mount in it, stay; a file on a mount goes, and comes back.
func TestDeleteOnAnotherMount(t *testing.T) {
	ownMounts(t, func(t *testing.T, root string) {
		model := mountedVersion(t, root)
		t.Setenv("XDG_DATA_HOME", filepath.Join(root, "home"))
		file := filepath.Join(model, "1", "labels.txt")
		check(t, os.WriteFile(file, []byte("x"), 0o644))
		to := trash.Trash{Outside: root}
		for _, path := range []string{model, filepath.Join(model, "1")} {
			_, err := write.Delete(t.Context(), path, to)
			wantWords(t, err, "cannot delete "+filepath.Join(model, "1"), "it is a mount", "unmount it first")
		}
		wantContent(t, file, "x")
		item, err := write.Delete(t.Context(), file, to)
		check(t, err)
		wantContent(t, item.In, "x")
		wantGone(t, file)
		check(t, write.PutBack(t.Context(), item))
		wantContent(t, file, "x")
		onlyFile(t, file)
	})
}

// TestLowerLayerStays: a folder of the image of a container cannot be renamed. It stays, and a person is told why and what to do.
func TestLowerLayerStays(t *testing.T) {
	ownMounts(t, func(t *testing.T, root string) {
		t.Setenv("XDG_DATA_HOME", filepath.Join(root, "home"))
		disk := filepath.Join(root, "disk")
		for _, name := range []string{"disk", "lower/model/1", "upper", "work"} {
			check(t, os.MkdirAll(filepath.Join(root, name), 0o755))
		}
		check(t, os.WriteFile(filepath.Join(root, "lower", "model", "1", "model.py"), []byte("program"), 0o644))
		in := func(name string) string { return filepath.Join(root, name) }
		layers := "lowerdir=" + in("lower") + ",upperdir=" + in("upper") + ",workdir=" + in("work")
		if err := syscall.Mount("overlay", disk, "overlay", 0, layers); err != nil {
			t.Fatal("no mounts here:", err)
		}
		model := filepath.Join(disk, "model")
		_, err := write.Delete(t.Context(), model, trash.Trash{Outside: disk})
		wantWords(t, err, "cannot delete "+model+": its disk has layers", "cp -a", "nothing was deleted")
		_, err = write.RenameModel(model, "other")
		wantWords(t, err, "cannot rename "+model+": its disk has layers")
		wantContent(t, filepath.Join(model, "1", "model.py"), "program")
	})
}

// leaving is a context that acts once the path is gone.
type leaving struct {
	context.Context
	path string
	act  func()
}

func (l leaving) Err() error {
	if _, err := os.Lstat(l.path); err != nil {
		l.act()
	}
	return l.Context.Err()
}

// TestDeleteSaysWhereItIs: where something can neither go nor get its place again, a person is told where it is.
func TestDeleteSaysWhereItIs(t *testing.T) {
	fulldisk.Run(t, 1<<20, func(t *testing.T, disk *fulldisk.Disk) {
		model, _ := deletable(t)
		t.Setenv("XDG_DATA_HOME", disk.Dir)
		path, moved := filepath.Join(model, "1"), model+" moved"
		ctx := leaving{t.Context(), path, func() { _ = os.Rename(model, moved) }}
		_, err := write.Delete(ctx, path, trash.Trash{Outside: "/"})
		at := filepath.Join(disk.Dir, "Trash", "files", "1")
		wantWords(t, err, "cannot delete "+path+": ", "folder does not exist", "; all of it is now at "+at)
		wantContent(t, filepath.Join(at, "model.py"), "program")
	})
}
