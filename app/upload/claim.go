package upload

import (
	"os"

	"conch/engine/filelock"
)

// claim locks the folder of an upload while the returned file is open, so that another workbench on the
// same repository leaves it alone. The lock ends with the process.
func claim(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if _, err := filelock.Try(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// claimed reports whether a workbench still fills a folder. A folder of which that cannot be told counts as one.
func claimed(dir string) bool {
	f, err := claim(dir)
	if err != nil {
		return true
	}
	return f.Close() != nil
}
