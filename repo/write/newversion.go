package write

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"conch/repo/files"
)

// NewVersion puts files into a new version folder of a model, and returns the folder. It appears whole, and nothing that exists is replaced. The
// files stay where they were.
func (w Waiting) NewVersion(model string, number int64, content fs.FS) (string, error) {
	dir := filepath.Join(model, strconv.FormatInt(number, 10))
	if _, err := os.Lstat(dir); err == nil {
		return "", explain("create", dir, fs.ErrExist)
	}
	stage, err := w.stageFor(model)
	if err != nil {
		return "", err
	}
	err = os.CopyFS(stage.dir, content)
	if err == nil {
		err = stage.sync()
	}
	if err == nil {
		err = stage.arrive(dir)
	}
	if err != nil {
		return "", errors.Join(explain("create", dir, err), stage.Discard())
	}
	_ = stage.files.Close()
	stage.release()
	files.SyncFolder(model)
	return dir, nil
}

// NewModelOf makes a model folder with a config and a version 1 of files, and more files beside the config, such as labels. It appears whole, and
// nothing that exists is replaced.
func (w Waiting) NewModelOf(root, name string, config []byte, version fs.FS, beside map[string][]byte) (string, error) {
	if why := badModelName(name); why != "" {
		return "", &Error{Do: "create", Path: strconv.Quote(name), Why: why, Err: fs.ErrInvalid}
	}
	stage, err := w.stageFor(root)
	if err != nil {
		return "", err
	}
	for file, content := range beside {
		if err == nil {
			err = stage.Append(file, 0, content)
		}
	}
	if err == nil {
		err = os.CopyFS(filepath.Join(stage.dir, "1"), version)
	}
	var dir string
	if err == nil {
		dir, err = stage.Become(name, config)
	}
	if err != nil {
		if _, told := errors.AsType[*Error](err); !told {
			err = explain("create", filepath.Join(root, name), err)
		}
		return "", errors.Join(err, stage.Discard())
	}
	return dir, nil
}
