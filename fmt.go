package main

import (
	"os"

	"conch/app/tidy"
)

// fmtCommand is `conch fmt`.
type fmtCommand struct {
	Paths []string `arg:"" name:"path" help:"Config files, model folders, or repositories."`
	List  bool     `short:"l" help:"List the files that are laid out differently."`
	Diff  bool     `short:"d" help:"Show what would change."`
	Write bool     `short:"w" help:"Write the files."`
}

// Run lays configs out anew. Its exit status is 1 where --list or --diff found something to change.
func (c *fmtCommand) Run() error {
	changed, err := tidy.Run(c.Paths, tidy.Options{List: tidy.Switch(c.List), Diff: tidy.Switch(c.Diff), Write: tidy.Switch(c.Write)}, os.Stdout)
	if err != nil {
		return err
	}
	if changed > 0 && (c.List || c.Diff) && !c.Write {
		return exitStatus(1)
	}
	return nil
}
