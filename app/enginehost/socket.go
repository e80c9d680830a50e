package enginehost

import (
	"os"

	"conch/app/userfile"
)

const (
	// socketFolder begins the name of the folder of an engine's sockets.
	socketFolder = "conch-engine"
	// longestParent keeps the paths of sockets below about 100 bytes, which is their limit.
	longestParent = 50
)

// socketDir makes a folder that only this user can enter. It avoids a long TMPDIR where another place
// works.
func socketDir() (dir *userfile.Scratch, err error) {
	for _, parent := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
		if parent == "" || len(parent) > longestParent {
			continue
		}
		if dir, err = userfile.MakeScratch(parent, socketFolder); err == nil {
			return dir, nil
		}
	}
	return userfile.MakeScratch("", socketFolder)
}
