package python

import (
	"context"
	"strings"

	"conch/engine/backend"
	"conch/engine/backend/python/environments"
	"conch/engine/infer"
	"conch/engine/pip"
)

// Needs is what a backend needs of Python beside NumPy. The zero value needs nothing.
type Needs struct {
	// Modules are what its program imports: "torch".
	Modules []string
	// Packages are what brings these modules, as pip takes them: "torch>=2.1". They go into an environment of Conch's own, when the user
	// allows it.
	Packages []string
	// Weight is what these take on the disk, for people; "" where that is not known.
	Weight string
}

// Missing returns what models that bring no packages lack; nil when the usual Python has it, or an environment of Conch's.
func (b *Backend) Missing(ctx context.Context) (*backend.Missing, error) {
	usual, err := b.usual()
	if err != nil || len(b.options.Needs.Modules) == 0 {
		return nil, err
	}
	lacks, err := b.install.own.Lacks(ctx, usual, b.options.Needs.Modules...)
	if err != nil || len(lacks) == 0 {
		return nil, err
	}
	packages := b.options.Needs.Packages
	id, err := b.install.own.ID(ctx, b.wanted(usual, packages))
	if err != nil || b.install.own.Has(id) {
		return nil, err
	}
	return &backend.Missing{Modules: lacks, Packages: packages, Python: usual}, nil
}

// wanted is the environment of Conch's with the packages of the backend.
func (b *Backend) wanted(usual string, packages []string) environments.Wanted {
	return environments.Wanted{Interpreter: usual, Requirements: environments.Packages(packages...), For: "backend '" + b.Name() + "'"}
}

// shared returns the Python of models that bring none: the usual one when it has what the backend needs, else that of Conch's own environment,
// which it makes if that is allowed.
func (b *Backend) shared(ctx context.Context, spec backend.Spec) (python interpreter, err error) {
	usual, err := b.usual()
	if err != nil {
		return python, infer.Errorf(infer.Unavailable, "model '%s' needs Python: %v", spec.Name, err)
	}
	if len(b.options.Needs.Modules) == 0 {
		return interpreter{path: usual}, nil
	}
	lacks, err := b.install.own.Lacks(ctx, usual, b.options.Needs.Modules...)
	if err != nil {
		return python, infer.Errorf(infer.Unavailable, "model '%s' needs Python: %v", spec.Name, err)
	}
	if len(lacks) == 0 {
		return interpreter{path: usual}, nil
	}
	wanted := b.wanted(usual, b.packages(spec))
	found, err := b.install.environment(ctx, spec, b.install.own, wanted, backend.Offer{From: wanted.For, Weight: b.options.Needs.Weight})
	switch {
	case err != nil:
		return python, infer.Errorf(infer.Unavailable, "model '%s': the packages of %s could not be installed: %v", spec.Name, wanted.For, err)
	case found == nil:
		return python, infer.Errorf(infer.Unavailable, "model '%s' needs %s for %s, which %s lacks. Press Install on the model's page, which installs it "+
			"for Conch alone, or start `conch serve` with --backend-config=python,%s=true, or install it yourself: %s",
			spec.Name, modules(lacks), wanted.For, usual, installKey, pip.Line(usual, b.packages(spec)))
	}
	python.environment = found.Dir
	python.path, err = found.Interpreter()
	return python, err
}

// has returns an error when the environment that a model brings lacks what the backend needs.
func (b *Backend) has(ctx context.Context, spec backend.Spec, interpreter string) error {
	if len(b.options.Needs.Modules) == 0 {
		return nil
	}
	lacks, err := b.install.own.Lacks(ctx, interpreter, b.options.Needs.Modules...)
	switch {
	case err != nil:
		return infer.Errorf(infer.Unavailable, "model '%s' needs Python: %v", spec.Name, err)
	case len(lacks) > 0:
		return infer.Errorf(infer.Unavailable, "model '%s' needs %s for backend '%s', which its own environment lacks: install %s there (%s)",
			spec.Name, modules(lacks), b.Name(), strings.Join(b.packages(spec), " "), interpreter)
	}
	return nil
}

func modules(lacks []string) string {
	if len(lacks) == 1 {
		return "the Python module '" + lacks[0] + "'"
	}
	return "the Python modules '" + strings.Join(lacks, "', '") + "'"
}
