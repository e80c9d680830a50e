package model

import (
	"slices"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/placement"
)

// gpusOf returns the GPUs that a backend can use.
func gpusOf(be backend.Backend) []backend.Memory {
	if l, ok := be.(backend.DeviceLister); ok {
		return l.Devices()
	}
	return nil
}

// machine returns what is known of the GPUs of the machine.
func (l *Loader) machine(fresh bool) placement.Machine {
	if l.Machine == nil {
		return placement.Machine{}
	}
	return l.Machine(fresh)
}

// usable returns the numbers of the GPUs that a backend can use and that have the least compute capability.
func (l *Loader) usable(be backend.Backend) []int {
	machine := l.machine(false)
	if machine.Trouble != "" {
		return nil // the backend may ask the driver, and wait
	}
	var ids []int
	for _, m := range gpusOf(be) {
		ids = append(ids, m.Device.ID)
	}
	return machine.Usable(ids, l.LeastCapability)
}

// gpusFor returns the numbers of the GPUs for a config's backend.
func (l *Loader) gpusFor(backendName string) []int32 {
	var list []int32
	for _, id := range l.usable(l.Backends[backendName]) {
		list = append(list, int32(id))
	}
	return list
}

// wantsGPUs reports whether the GPUs are needed to settle a config. A backend may start a program to tell them, and nobody
// asks it on a machine that is known to have none.
func (l *Loader) wantsGPUs(given, settled *modelconfig.ModelConfig) bool {
	switch row := backends.Named(settled.Backend); {
	case row.OnGPUs, slices.ContainsFunc(given.GetInstanceGroup(), onGPU):
		return true
	default:
		return row.TakesGPUs && len(l.machine(false).GPUs) > 0
	}
}

func onGPU(g *modelconfig.ModelInstanceGroup) bool {
	return g.Kind == modelconfig.ModelInstanceGroup_KIND_GPU
}

// place decides where the instances of a model run.
func (l *Loader) place(cfg *modelconfig.ModelConfig, be backend.Backend) (placement.Plan, error) {
	q := placement.Question{
		Config: cfg, OnGPUs: backends.Named(cfg.Backend).OnGPUs, Least: l.LeastCapability, Strict: l.StrictGPU.Load(),
	}
	if slices.ContainsFunc(cfg.InstanceGroup, onGPU) { // nobody looks for GPUs before a model needs one
		machine := l.machine(false)
		q.Machine, q.Trouble, q.GPUs = machine.Supported(q.Least), machine.Trouble, l.usable(be)
	}
	return placement.Decide(q)
}

// tellPlace logs what a person should know of where the instances of a model run. It is called when they are made: of a load that fails, only the error
// is true.
func (l *Loader) tellPlace(v *Version) {
	for _, note := range v.plan.Notes {
		l.Log.Warn(note.Text(), "model", v.Name)
	}
}
