package folder

import "os"

// Open opens a file of a repository for reading. A pipe or device is refused as Special says, and never waited for: what
// a look showed may have been replaced by a pipe since.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = Special(info.Mode())
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
