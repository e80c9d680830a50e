package handover

import (
	"context"
	"errors"
	"fmt"

	"conch/app/handover/pack"
	"conch/repo/scan"
)

// Export is what Prepare made.
type Export struct {
	// Problems are what would not run there. They come first.
	Problems []Problem
	// Notes say what a person has to know or to decide.
	Notes []string
	// Files are in the order in which people read them.
	Files []File
	// Environments are those of Python models that can be packed, whether they are or not.
	Environments []Environment
	// Bytes is what the models take, without environments: a copy of the repositories is as large.
	Bytes int64
}

// Environment is the Python environment of a model.
type Environment struct {
	Model string
	pack.Source
}

// Prepare reads the repositories and makes the files for a target. It writes nothing.
func Prepare(ctx context.Context, opts Options) (*Export, error) {
	if opts.Flags.Release == nil {
		return nil, errors.New("no release of Triton was chosen")
	}
	for _, root := range opts.Roots {
		if d := scan.Diagnose(root); !d.Openable() || d.Verdict == scan.Outer || d.Verdict == scan.Inner {
			return nil, errors.New(d.Sentence)
		}
	}
	index := scan.New(opts.Roots...).WithContext(ctx).Scan(nil)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(index.Models) == 0 {
		return nil, errors.New("there is no model to hand over")
	}
	p, err := makePlan(opts, index)
	if err != nil {
		return nil, err
	}
	e := &Export{Notes: p.notes(), Environments: p.environments(), Bytes: p.modelBytes()}
	if e.Problems, err = p.problems(ctx); err != nil {
		return nil, err
	}
	e.Files, err = p.write()
	return e, err
}

func (p *plan) write() ([]File, error) {
	switch p.opts.Target {
	case Compose:
		return p.compose()
	case Kubernetes:
		return p.kubernetes()
	case KServe:
		return p.kserve()
	case TritonServer:
		return p.commandLine(), nil
	}
	return nil, fmt.Errorf("there is no target %q; choose from %q", p.opts.Target, Targets())
}
