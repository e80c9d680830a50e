package model

import (
	"context"
	"time"

	"conch/engine/backend"
	"conch/engine/infer"
)

// Worker is an instance that runs in a process of its own.
type Worker struct {
	Name      string
	Process   backend.Process // zero while it does not run
	Executing time.Time       // since when the current execution runs; zero for none
	Restarts  int64           // after its death
	Trouble   string          // why it does not run; "" when it does
}

// Workers returns the instances that run in processes of their own.
func (v *Version) Workers() []Worker {
	var list []Worker
	for _, in := range v.pool.all() {
		housed, isHoused := in.part().(backend.Housed)
		if !isHoused && in.revival == nil {
			continue
		}
		w := Worker{Name: in.name, Restarts: in.revival.again()}
		if isHoused {
			w.Process, _ = housed.Process()
		}
		w.Executing, _ = in.running()
		if why := in.revival.why(); why != nil {
			w.Trouble = why.Error()
		}
		list = append(list, w)
	}
	return list
}

// Stacks returns where the threads of an instance are.
func (v *Version) Stacks(ctx context.Context, instance string) (string, error) {
	in, err := v.inspectable(instance)
	if err != nil {
		return "", err
	}
	return in.Stacks(ctx)
}

// Break ends the current execution of an instance, and returns how.
func (v *Version) Break(ctx context.Context, instance string) (string, error) {
	in, err := v.inspectable(instance)
	if err != nil {
		return "", err
	}
	return in.Break(ctx)
}

// Debug has an instance listen for a debugger, and returns where.
func (v *Version) Debug(ctx context.Context, instance string) (string, error) {
	in, err := v.instance(instance)
	if err != nil {
		return "", err
	}
	found, ok := in.part().(backend.Debuggable)
	if !ok {
		return "", noProcess(in)
	}
	return found.Debug(ctx)
}

// debugged reports whether a person may look at the instance with a debugger: its executions take any time.
func (in *instance) debugged() bool {
	housed, ok := in.part().(backend.Housed)
	if !ok {
		return false
	}
	p, ok := housed.Process()
	return ok && p.Debugger != ""
}

func (v *Version) inspectable(instance string) (backend.Inspectable, error) {
	in, err := v.instance(instance)
	if err != nil {
		return nil, err
	}
	found, ok := in.part().(backend.Inspectable)
	if !ok {
		return nil, noProcess(in)
	}
	return found, nil
}

func noProcess(in *instance) error {
	return infer.Errorf(infer.Unavailable, "instance %s of model '%s' has no process now", in.name, in.model)
}

func (v *Version) instance(name string) (*instance, error) {
	for _, in := range v.pool.all() {
		if in.name == name {
			return in, nil
		}
	}
	return nil, infer.Errorf(infer.NotFound, "model '%s' has no instance %s", v.Name, name)
}
