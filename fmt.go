package main

import (
	"os"

	"conch/app/fmtcmd"
)

// fmtCommand is `conch fmt`.
type fmtCommand struct {
	Paths []string `arg:"" name:"path" help:"Config files, model folders, or repositories."`
	List  bool     `short:"l" help:"List the files whose format would change."`
	Diff  bool     `short:"d" help:"Show what would change."`
	Write bool     `short:"w" help:"Write the files."`
}

// Run formats configs. Its exit status is 1 where --list or --diff found a change.
func (c *fmtCommand) Run() error {
	changed, err := fmtcmd.Run(c.Paths, fmtcmd.Options{List: fmtcmd.Switch(c.List), Diff: fmtcmd.Switch(c.Diff), Write: fmtcmd.Switch(c.Write)}, os.Stdout)
	if err != nil {
		return err
	}
	if changed > 0 && (c.List || c.Diff) && !c.Write {
		return exitStatus(1)
	}
	return nil
}
