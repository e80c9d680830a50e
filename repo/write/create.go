package write

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"conch/configedit/folder"
	"conch/repo/layout"
)

// NewModel makes a model folder with a config and an empty version folder 1,
// and returns its path. With a nil config there is no config.pbtxt. The
// folder appears whole, so that nobody finds it half made.
func NewModel(root, name string, config []byte) (string, error) {
	dir := filepath.Join(root, name)
	if why := badModelName(name); why != "" {
		return "", &Error{Do: "create", Path: strconv.Quote(name), Why: why, Err: fs.ErrInvalid}
	}
	if _, err := os.Lstat(dir); err == nil {
		return "", explain("create", dir, fs.ErrExist)
	}
	// Not os.MkdirTemp: it makes folders that only their owner may read.
	temp := filepath.Join(root, tempName("model"))
	if err := os.Mkdir(temp, 0o777); err != nil {
		return "", explain("create", dir, err)
	}
	if err := fillModel(temp, config); err != nil {
		return "", errors.Join(explain("create", dir, err), os.RemoveAll(temp))
	}
	if err := os.Rename(temp, dir); err != nil {
		return "", errors.Join(explain("create", dir, err), os.RemoveAll(temp))
	}
	syncFolder(root)
	return dir, nil
}

// longestName is NAME_MAX: what file systems take.
const longestName = 255

// badModelName says why a name cannot be a model's. Triton takes every folder
// name; what it could not put into a URL or a protobuf string is kept out.
func badModelName(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "a model needs a name"
	case name == "." || name == ".." || strings.ContainsAny(name, `/\`):
		return "a model's name is the name of a folder: it has no / and no \\ in it, and is not . or .."
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "a model's name is plain text without control characters"
	case strings.ContainsFunc(name, folder.Misleading):
		return "the name holds characters that are not seen and change how it is read, such as marks of writing direction; leave them out"
	case len(name) > longestName:
		return "the name is too long: a folder's name has at most 255 bytes"
	case layout.NoiseDir(name):
		return "folders of this name belong to other programs; choose another name"
	}
	return ""
}

func fillModel(dir string, config []byte) error {
	if err := os.Mkdir(filepath.Join(dir, "1"), 0o777); err != nil {
		return err
	}
	if config == nil {
		return nil
	}
	_, err := Save(filepath.Join(dir, layout.ConfigFile), config, Version{})
	return err
}
