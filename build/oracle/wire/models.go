package wire

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The models: a folder each with what is its own, and one program for all that need one.
//
//go:embed all:models
var models embed.FS

const program = "models/model.py"

// Lay writes the repository that the cases need.
func Lay(to string) error {
	code, err := models.ReadFile(program)
	if err != nil {
		return fmt.Errorf("read the program of the models: %w", err)
	}
	return fs.WalkDir(models, "models", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path == program {
			return err
		}
		content, err := models.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read a model: %w", err)
		}
		at := filepath.Join(to, strings.TrimPrefix(path, "models/"))
		if err := write(at, content); err != nil {
			return err
		}
		if filepath.Base(path) != "config.pbtxt" {
			return nil
		}
		version := filepath.Join(filepath.Dir(at), "1")
		if strings.Contains(string(content), "ensemble_scheduling") {
			return write(filepath.Join(version, ".keep"), nil)
		}
		return write(filepath.Join(version, "model.py"), code)
	})
}

func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write the models: %w", err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("write the models: %w", err)
	}
	return nil
}
