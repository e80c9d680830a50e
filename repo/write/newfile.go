package write

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"conch/repo/layout"
)

// CheckPath says why a path cannot be that of a new file, or of a new folder, in a model's folder; nil when it can. Names of
// temporary files are refused too: Conch would not list the file.
func CheckPath(rel string, isFolder bool) error {
	parts := strings.Split(rel, "/")
	why := ""
	if len(parts) > layout.MaxDepth {
		why = "it has too many folders in folders"
	}
	for i, part := range parts {
		if why == "" {
			why = badPart(part, isFolder || i < len(parts)-1)
		}
	}
	if why == "" {
		return nil
	}
	return &Error{Do: "create", Path: strconv.Quote(rel), Why: why, Err: fs.ErrInvalid}
}

func badPart(part string, isFolder bool) string {
	switch {
	case strings.TrimSpace(part) == "":
		return "a file or a folder in it has no name"
	case part == "." || part == ".." || strings.ContainsAny(part, `\:`):
		return `it is a path in the model's folder: names with / between them, without \ and : in them, and none is . or ..`
	case isFolder && layout.NoiseDir(part):
		return noiseDir
	case strings.TrimSpace(part) != part || strings.HasSuffix(part, "."):
		return "a name in it begins or ends with a blank, or ends with a dot, which is easily overlooked and which Windows drops; leave it out"
	case !isFolder && layout.NoiseFile(part):
		return "files of this name are temporary files of other programs, which Conch does not show; choose another name"
	}
	return unreadable(part)
}

// NewFile makes a file, and the folders on its way, which appear with the file in them. What exists is not replaced.
func NewFile(path string, content []byte) error { return Waiting{}.NewFile(path, content) }

// NewFile is as the function of this name. Folders that are missing wait, with the file in them, where others wait.
func (w Waiting) NewFile(path string, content []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return explain("create", path, fs.ErrExist)
	}
	dir, name := filepath.Split(path)
	dir = filepath.Clean(dir)
	there, missing, err := existing(dir)
	switch {
	case err != nil:
		return explain("create", path, err)
	case missing == "":
		return createIn(path, content)
	}
	stage, err := w.stageFor(there)
	if err != nil {
		return err
	}
	if err = stage.append(filepath.Join("new", name), 0, content); err != nil {
		err = explain("create", path, err)
	} else {
		err = stage.AddTo(context.Background(), there, dir, "new", []string{name})
	}
	if err != nil {
		return errors.Join(err, stage.Discard())
	}
	return nil
}

// createIn makes a file in a folder that is there.
func createIn(path string, content []byte) error {
	_, err := Save(path, content, Version{})
	if _, taken := errors.AsType[*ConflictError](err); taken {
		err = fs.ErrExist // somebody else made it meanwhile
	}
	if failed, told := errors.AsType[*Error](err); told {
		err = failed.Err
	}
	if err != nil {
		return explain("create", path, err)
	}
	return nil
}

// NewFolder makes a folder, and the folders on its way. One that exists is refused.
func NewFolder(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return explain("create", path, fs.ErrExist)
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return explain("create", path, err)
	}
	return nil
}
