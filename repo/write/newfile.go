package write

import (
	"errors"
	"io"
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

// NewFile makes a file, and the folders on its way. What exists is not replaced.
func NewFile(path string, content []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return explain("create", path, fs.ErrExist)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return explain("create", path, err)
	}
	_, err := Save(path, content, Version{})
	if _, taken := errors.AsType[*ConflictError](err); taken {
		return explain("create", path, fs.ErrExist)
	}
	return err
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

// Bring puts files, by their new names, into a folder, which is made where it is missing. Each appears whole; all of them
// or none do, and what exists is not replaced. They stay where they were.
func Bring(dir string, files map[string]string) (err error) {
	for name := range files {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return explain("create", filepath.Join(dir, name), fs.ErrExist)
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return explain("create", dir, err)
	}
	var made []string
	for name, from := range files {
		to := filepath.Join(dir, name)
		if err := bring(from, to); err != nil {
			for _, path := range made {
				_ = os.Remove(path)
			}
			return explain("create", to, err)
		}
		made = append(made, to)
	}
	syncFolder(dir)
	return nil
}

// bring copies a file to a name beside the new one, and then gives it that name unless somebody else has taken it.
func bring(from, to string) error {
	temp := filepath.Join(filepath.Dir(to), tempName(filepath.Base(to)))
	defer func() { _ = os.Remove(temp) }()
	if err := copyFile(from, temp); err != nil {
		return err
	}
	err := os.Link(temp, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// File systems without hard links: another program may take the name between the two calls.
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(temp, to)
}

func copyFile(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if err == nil {
		err = target.Sync()
	}
	return errors.Join(err, target.Close())
}
