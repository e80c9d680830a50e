package main

import (
	"fmt"
	"os"
	"path/filepath"

	"conch/app/visible"
	"conch/engine/backend/python/ownbackend"
	"conch/engine/userdir"
)

// newCommand is `conch new`.
type newCommand struct {
	Backend newBackendCommand `cmd:"" help:"Write a backend of your own to begin with: a Python program, a model for it, and tests."`
}

// newBackendCommand is `conch new backend`.
type newBackendCommand struct {
	Name   string `arg:"" help:"What configs call it: backend: \"NAME\"."`
	Folder string `default:"." placeholder:"DIR" help:"The folder that gets the folder NAME."`
}

// Run writes the backend, and says how to use it.
func (c *newBackendCommand) Run() error {
	dir, err := ownbackend.Write(c.Folder, c.Name)
	if os.IsExist(err) {
		return fmt.Errorf("%s is there already: choose another name, or another folder with --folder", visible.Line(filepath.Join(c.Folder, c.Name)))
	}
	if err != nil {
		return err
	}
	_, err = fmt.Printf(`%s is written. README.md in it tells more.

run its model:  conch serve --backend-directory %s --model-repository %s
run its tests:  python3 -m pytest %s    (with pytest and numpy)
in the window:  put it, or a link to it, into %s, and restart the engine
`, visible.Line(dir), visible.Line(c.Folder), visible.Line(filepath.Join(dir, "models")), visible.Line(filepath.Join(dir, "tests")),
		visible.Line(filepath.Join(userdir.Installed(), ownBackends)))
	return err
}
