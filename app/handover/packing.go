package handover

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"conch/app/handover/pack"
)

// Packing says how Python environments are packed.
type Packing struct {
	// Interpreter is the Python whose pip takes packages from lists.
	Interpreter string
	// Told gets a line for each environment.
	Told func(line string)
}

// Interpreter is the Python that people chose for Conch, else the one on PATH.
func Interpreter() string { return cmp.Or(os.Getenv("CONCH_PYTHON"), "python3") }

// Write puts an export into a folder: the copy of the repositories where opts ask for one, and the files. Edits that a
// person made since the last export stay. It refuses to replace what no export wrote.
func (e *Export) Write(ctx context.Context, dir string, opts Options, how Packing) (*Written, error) {
	return write(dir, opts, e.Files, func() error { return e.pack(ctx, opts, how) })
}

// pack makes the copy.
func (e *Export) pack(ctx context.Context, opts Options, how Packing) error {
	if opts.Pack == "" {
		return nil
	}
	if _, err := os.Lstat(opts.Pack); err == nil && !pack.Ours(opts.Pack) {
		return fmt.Errorf("%s is there already, and no export wrote it; move it away, or choose another folder", opts.Pack)
	}
	sources := make([]pack.Source, len(e.Environments))
	for i, environment := range e.Environments {
		sources[i] = environment.Source
	}
	copies := pack.Copy{To: opts.Pack, Interpreter: how.Interpreter, Image: opts.image(), Told: how.Told}
	return copies.Make(ctx, opts.Roots, sources)
}

// image is what an image of the release has for Python models.
func (o Options) image() pack.Image {
	return pack.Image{Python: o.Flags.Release.Python(), NumPy2: o.Flags.Release.NumPy2()}
}
