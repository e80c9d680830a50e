package userdir

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// replaced are the folders that this process has made where somebody else has the name of one, by that name.
var (
	replacing sync.Mutex
	replaced  = map[string]string{}
)

// Alone returns the folder of a name and this user in the folder for temporary files, where everybody can make folders. It is made
// where it is not there. Code is taken from such folders: one that somebody else has made, a link, or one that others can enter
// is not used, and this process gets a new one. Where none can be made, what is returned can have no content.
func Alone(name string) string {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("%s-%d", name, os.Geteuid()))
	_ = os.Mkdir(dir, 0o700) // it is looked at in any case
	if aloneAt(dir) {
		return dir
	}
	replacing.Lock()
	defer replacing.Unlock()
	if aloneAt(replaced[dir]) {
		return replaced[dir]
	}
	made, err := os.MkdirTemp("", filepath.Base(dir)+"-") // of mode 0700
	if err != nil {
		return filepath.Join(os.DevNull, name)
	}
	replaced[dir] = made
	return made
}

func aloneAt(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && isAlone(info)
}
