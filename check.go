package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"conch/app/verdict"
)

// checkCommand is `conch check`.
type checkCommand struct {
	Paths  []string `arg:"" name:"repository" help:"Model repositories."`
	Format string   `enum:"text,json" default:"text" help:"How the answer is written: ${enum}."`
}

// Run judges and answers by its exit status: 0 where Triton would take everything, 1 where it would not, 2 where
// nothing could be judged.
func (c *checkCommand) Run(ctx context.Context) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	opts := verdict.Options{Format: verdict.Format(c.Format), Color: colored(os.Stdout), Errors: os.Stderr}
	if status := verdict.Run(ctx, c.Paths, opts, os.Stdout); status != 0 {
		return exitStatus(status)
	}
	return nil
}

// colored tells whether a stream is a terminal that wants colour (no-color.org).
func colored(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
