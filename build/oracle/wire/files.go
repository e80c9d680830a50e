package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"conch/build/golden/exchange"
)

// more is a folder for the models of one case with flags, which names it as WORK/more.
const more = "more"

// inFiles does what a case with flags does with files of the run's folder. Steps before the start come before it.
//
//	file copy FROM TO      a folder, over what is there
//	file write PATH TEXT   in the form of a body
//	file remove PATH       a file or a folder
func inFiles(work, step string) (string, error) {
	if work == "" {
		return "", fmt.Errorf("only a case with flags has files: %q", step)
	}
	verb, rest, _ := strings.Cut(strings.TrimSuffix(step, "\n"), " ")
	first, rest, _ := strings.Cut(rest, " ")
	path := filepath.Join(work, first)
	switch verb {
	case "copy":
		return "", copyFolder(path, filepath.Join(work, rest))
	case "write":
		return "", write(path, exchange.Unescape(rest))
	case "remove":
		return "", os.RemoveAll(path)
	}
	return "", fmt.Errorf("a file has no step %q", verb)
}

// afreshFolder makes a folder that is empty.
func afreshFolder(path string) error {
	err := os.RemoveAll(path)
	if err == nil {
		err = os.Mkdir(path, 0o755)
	}
	if err != nil {
		return fmt.Errorf("make a folder for files of a case: %w", err)
	}
	return nil
}

func copyFolder(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("copy a file: %w", err)
		}
		return write(filepath.Join(to, strings.TrimPrefix(path, from)), content)
	})
}
