package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// examplesFolder holds the user's copy of the examples, in the data folder.
const examplesFolder = "examples"

// copyExamples returns the path of the user's own copy of the examples. It makes the copy when there
// is none.
func copyExamples(dataDir string, examples fs.FS) (string, error) {
	if examples == nil {
		return "", errors.New("this program was built without the examples")
	}
	path := filepath.Join(dataDir, examplesFolder)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	half, err := os.MkdirTemp(dataDir, examplesFolder+"-") // so that an incomplete copy is never used
	if err != nil {
		return "", fmt.Errorf("make a folder for the examples: %w", err)
	}
	defer func() { _ = os.RemoveAll(half) }()
	if err := os.CopyFS(half, examples); err != nil {
		return "", fmt.Errorf("copy the examples: %w", err)
	}
	if err := os.Rename(half, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("copy the examples: %w", err)
	}
	return path, nil
}

// trusted lists the repositories whose code runs without a question: the user's copy of the examples,
// which nobody else can write to, and those that the user started the program with and trusts.
func (a *App) trusted(opts Options) (roots []string) {
	all := []string{filepath.Join(a.dataDir, examplesFolder)}
	if opts.Trust {
		all = append(all, opts.Repositories...)
	}
	for _, root := range all {
		if path, err := filepath.Abs(root); err == nil {
			roots = append(roots, path)
		}
	}
	return roots
}
