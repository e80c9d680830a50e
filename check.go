package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"conch/app/checkcmd"
	"conch/app/language"
	"conch/configedit/release"
	"conch/engine/completed"
)

// serverFlags are the flags of tritonserver that change which models it accepts. They have Triton's
// names.
type serverFlags struct {
	DisableAutoCompleteConfig bool   `help:"Check as for a server that does not complete configs."`
	StrictModelConfig         bool   `help:"The old name of --disable-auto-complete-config."`
	ModelConfigName           string `placeholder:"NAME" help:"Read configs/NAME.pbtxt in place of config.pbtxt where a model has one."`
	// Triton is not a flag of tritonserver. It says for which release the models are checked.
	Triton tritonRelease `placeholder:"RELEASE" help:"Check for this release of Triton, such as 24.10. Default: the newest that Conch knows."`
	// GPUs is not a flag of tritonserver either.
	GPUs gpuCount `name:"gpus" placeholder:"N" help:"Check for a machine with N GPUs, 0 for one without. Default: it has the GPUs that configs ask for."`
}

func (f serverFlags) flags() language.Flags {
	return language.Flags{
		Strict: f.DisableAutoCompleteConfig || f.StrictModelConfig, Variant: f.ModelConfigName, Release: f.Triton.release(), GPUs: f.GPUs.n,
		Answers: completed.Usual(),
	}
}

// tritonRelease is the value of --triton.
type tritonRelease struct{ chosen *release.Release }

// UnmarshalText reads the value.
func (t *tritonRelease) UnmarshalText(name []byte) error {
	if t.chosen = release.Find(string(name)); t.chosen == nil {
		return fmt.Errorf("no release %q of Triton is known; known are %s to %s", name, release.All()[0].Name, release.Newest().Name)
	}
	return nil
}

func (t tritonRelease) release() *release.Release {
	if t.chosen == nil {
		return release.Newest()
	}
	return t.chosen
}

// gpuCount is the value of --gpus.
type gpuCount struct{ n *int }

// mostGPUs is more than any machine has.
const mostGPUs = 1024

// UnmarshalText reads the value.
func (g *gpuCount) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 || n > mostGPUs {
		return fmt.Errorf("%q is not a number of GPUs from 0 to %d", text, mostGPUs)
	}
	g.n = &n
	return nil
}

// checkCommand is `conch check`.
type checkCommand struct {
	Paths  []string `arg:"" name:"path" help:"Model repositories, model folders, or config files."`
	Format string   `enum:"text,json,sarif,github" default:"text" help:"How the answer is written: ${enum}."`
	Fix    bool     `help:"Apply the fixes that are safe, and report the rest."`
	// Suggestions needs Fix.
	Suggestions bool `help:"With --fix: apply suggestions too. Review what they changed."`
	Advice      bool `help:"Also report what works but could work better."`
	Folders     bool `help:"Check a config file together with its model's folder and repository, where the folder has a version."`
	serverFlags
}

// Run checks and sets the exit status: 0 where Triton would accept everything, 1 where it would not, 2
// where nothing could be checked.
func (c *checkCommand) Run(ctx context.Context) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	opts := checkcmd.Options{
		Format: checkcmd.Format(c.Format), Color: colored(os.Stdout), Errors: os.Stderr,
		Flags: c.flags(), Mend: c.mending(), Advice: checkcmd.Advising(c.Advice),
	}
	if c.Folders {
		opts.Files = checkcmd.FilesInFolders
	}
	if status := checkcmd.Run(ctx, c.Paths, opts, os.Stdout); status != 0 {
		return exitStatus(status)
	}
	return nil
}

func (c *checkCommand) mending() checkcmd.Mending {
	switch {
	case !c.Fix:
		return checkcmd.MendNothing
	case c.Suggestions:
		return checkcmd.MendSuggestions
	}
	return checkcmd.MendSafe
}

// Validate is called once the command line is parsed.
func (c *checkCommand) Validate() error {
	if c.Suggestions && !c.Fix {
		return errors.New("--suggestions needs --fix: it chooses which fixes are applied")
	}
	return nil
}

// colored reports whether a stream is a terminal that wants colour (no-color.org).
func colored(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
