package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"conch/app/handover"
	"conch/engine/userdir"
)

// exportCommand is `conch export`.
type exportCommand struct {
	Paths   []string `arg:"" name:"repository" help:"Model repositories."`
	Target  string   `required:"" placeholder:"TARGET" enum:"compose,kubernetes,kserve,tritonserver" help:"What the files are for: ${enum}."`
	Out     string   `placeholder:"FOLDER" help:"Write the files to FOLDER. Edits made there by hand stay. Default: print them."`
	Storage string   `placeholder:"WHERE" help:"Where the server finds the repository: pvc:NAME, or an address such as s3://BUCKET/PATH. Default: the folder itself, where the target can have it."`
	Name    string   `help:"The name of what is written. Default: that of the folder."`
	Pack    bool     `name:"pack-environments" help:"Copy the repository into FOLDER, with the Python environments of models packed there and named in the copies of their configs."`
	Force   bool     `help:"Write the files though something would not run there."`
	serverFlags
}

// Run writes the files. Its exit status is 1 where something would not run there, or an edit made by hand is in the way.
func (c *exportCommand) Run(ctx context.Context) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	roots := make([]string, len(c.Paths))
	for i, path := range c.Paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			return fmt.Errorf("find %s: %w", path, err)
		}
		roots[i] = abs
	}
	measured, err := handover.Measured(ctx, userdir.Data(), roots)
	if err != nil {
		fmt.Fprintf(os.Stderr, "conch export: the history could not be read, so memory counts as not measured: %v\n", err)
	}
	opts := handover.Options{
		Target: handover.Target(c.Target), Roots: roots, Flags: c.flags(), Name: c.Name, Storage: c.Storage, Measured: measured,
	}
	if c.Pack {
		if c.Out == "" {
			return errors.New("--pack-environments copies the repository into a folder: name it with --out")
		}
		if opts.Pack, err = filepath.Abs(filepath.Join(c.Out, handover.PackedName)); err != nil {
			return fmt.Errorf("find %s: %w", c.Out, err)
		}
	}
	out := handover.Output{Dir: c.Out, Anyway: handover.Switch(c.Force), Files: os.Stdout, Told: os.Stderr, Interpreter: handover.Interpreter()}
	err = handover.Run(ctx, opts, out)
	if errors.Is(err, handover.ErrNotAll) {
		return exitStatus(1)
	}
	return err
}
