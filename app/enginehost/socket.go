package enginehost

import (
	"os"

	"conch/app/userfile"
)

const (
	// socketFolder begins the name of the folder of an engine's sockets.
	socketFolder = "conch-engine"
	// longestParent keeps paths of sockets below the 100 bytes that they may have about.
	longestParent = 50
)

// socketDir makes a folder that only this user can enter. A long TMPDIR is not used where another place will do.
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
