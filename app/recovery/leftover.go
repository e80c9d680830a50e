package recovery

import (
	"os"
	"path/filepath"
	"regexp"
	"time"

	"conch/app/userfile"
)

// leftoverAge is the age at which a file is no longer being written. Writing some megabytes takes
// seconds.
const leftoverAge = time.Minute

// makeNext makes a file that replaces another one once it is complete. Only its user can read it.
func makeNext(path string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // of mode 0600
}

// nextName matches the names that makeNext gives to files of unsaved texts and to reserves.
var nextName = regexp.MustCompile(`^(unsaved-[0-9a-f]+\.json|(` + reserveName + `[0-9]+))\.[0-9]+$`)

// sweepLeftovers removes the files that killed programs left half written. Nothing reads them.
func sweepLeftovers(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // nothing depends on it
	}
	for _, e := range entries {
		names := nextName.FindStringSubmatch(e.Name())
		if names == nil || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err != nil || now.Sub(info.ModTime()) < leftoverAge {
			continue
		}
		if reserve := names[2]; reserve == "" || !isBeingMade(filepath.Join(dir, reserve)) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// isBeingMade reports whether a program holds the lock of a reserve.
func isBeingMade(reserve string) bool {
	lock, err := userfile.TryLock(reserve + lockSuffix)
	if err != nil {
		return true
	}
	_ = lock.Close()
	return false
}
