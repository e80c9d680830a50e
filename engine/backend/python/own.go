package python

import (
	"context"
	"os/exec"

	"conch/engine/backend/python/environments"
)

// This file is for programs of Conch that run in Python and are no models.

// OwnEnvironments are those with the packages of such programs, in the folder of Options.OwnDir.
func OwnEnvironments(dir string) *environments.Store {
	return &environments.Store{Dir: dir, Run: Run}
}

// Run runs a command, in a group of its own, until it or ctx ends. What it has started ends with it.
func Run(ctx context.Context, cmd *exec.Cmd) error { return runUntil(ctx, cmd) }

// Library writes Conch's Python code into a folder below another one, and returns it.
func Library(below string) (string, error) {
	return (&unpacked{below: below}).path()
}

// Usual returns the Python of this machine: the one that is named, else python3.
func Usual(named string) (string, error) {
	return (&Backend{options: Options{Interpreter: named}}).usual()
}
