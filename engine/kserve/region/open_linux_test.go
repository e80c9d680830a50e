package region

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"conch/engine/infer"
)

// A key names a file of this user directly below /dev/shm, and nothing else.
func TestOpen(t *testing.T) {
	name := "conch-test-" + strconv.Itoa(os.Getpid())
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, make([]byte, page), 0o600); err != nil {
		t.Skipf("this machine has no %s: %v", folder, err)
	}
	defer os.Remove(path)
	link := path + "-link"
	if err := os.Symlink("/etc/hostname", link); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(link)
	for _, key := range []string{name, "/" + name} {
		f, err := open(key)
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	for _, key := range []string{"..", "../../etc/hostname", "a/b", "absent", name + "-link", name + "\x00"} {
		_, err := open(key)
		refused(t, err, infer.Internal, "Unable to open shared memory region: '"+key+"'")
	}
	if os.Geteuid() != 0 {
		return // only root can give the file away
	}
	if err := os.Chown(path, 12345, -1); err != nil {
		t.Fatal(err)
	}
	_, err := open(name)
	refused(t, err, infer.Internal, "it belongs to another user")
}
