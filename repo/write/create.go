package write

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"conch/configedit/folder"
	"conch/repo/layout"
)

// NewModel makes a model folder with a config, files by their paths in it, and in
// any case a version folder 1, and returns its path. With a nil config there is no
// config.pbtxt. The folder appears whole, so that nobody finds it half made.
func (w Waiting) NewModel(root, name string, config []byte, files map[string][]byte) (string, error) {
	if why := badModelName(name); why != "" {
		return "", &Error{Do: "create", Path: strconv.Quote(name), Why: why, Err: fs.ErrInvalid}
	}
	stage, err := w.stageFor(root)
	if err != nil {
		return "", err
	}
	for file, content := range files {
		if err == nil {
			err = stage.Append(file, 0, content)
		}
	}
	var dir string
	if err == nil {
		dir, err = stage.Become(name, config)
	}
	if err != nil {
		return "", errors.Join(err, stage.Discard())
	}
	return dir, nil
}

// Closed says why no model can be made in a folder of a repository; nil where nothing is known against it.
func Closed(root string) error {
	if err := canWrite(root); err != nil {
		return explain(makeIn, root, err)
	}
	return nil
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
	case layout.NoiseDir(name):
		return noiseDir
	}
	return unreadable(name)
}

const noiseDir = "folders of this name belong to other programs; choose another name"

// unreadable says why a name would not be read as what it is, or is longer than a file system takes.
func unreadable(name string) string {
	switch {
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "a name is plain text without control characters"
	case strings.ContainsFunc(name, folder.Misleading):
		return "the name holds characters that are not seen and change how it is read, such as marks of writing direction; leave them out"
	case len(name) > longestName:
		return "the name is too long: the name of a file or a folder has at most 255 bytes"
	}
	return ""
}
