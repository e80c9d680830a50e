package model

import (
	"fmt"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/placement"
)

// gpusOf returns the GPUs that a backend can use, and why there are none.
func gpusOf(be backend.Backend) (gpus []backend.Memory, why string) {
	if l, ok := be.(backend.DeviceLister); ok {
		return l.Devices()
	}
	return nil, "it runs on the CPU alone"
}

// machine returns what is known of the GPUs of the machine.
func (l *Loader) machine(fresh bool) placement.Machine {
	if l.Machine == nil {
		return placement.Machine{}
	}
	return l.Machine(fresh)
}

// usable returns the numbers of the GPUs that a backend can use and that have the least compute capability, and why it can use none.
func (l *Loader) usable(be backend.Backend) (ids []int, why string) {
	machine := l.machine(false)
	if machine.Trouble != "" {
		return nil, machine.Trouble // the backend may ask the driver, and wait
	}
	gpus, why := gpusOf(be)
	for _, m := range gpus {
		ids = append(ids, m.Device.ID)
	}
	return machine.Usable(ids, l.LeastCapability), why
}

// gpusFor returns the numbers of the GPUs for a config's backend.
func (l *Loader) gpusFor(backendName string) []int32 {
	var list []int32
	ids, _ := l.usable(l.Backends[backendName])
	for _, id := range ids {
		list = append(list, int32(id))
	}
	return list
}

// GPUs are those with which a load settles a config.
type GPUs struct {
	Used    []int32 // by the backend
	Why     string  // a clause: it uses none; "" for a backend that is none
	Here    []int32 // the supported ones of the machine
	Adapter string  // by what instances run that are on none of these: "WebGPU"; "" for the processor
}

// FindGPUs returns the GPUs for an effective config. asked reports that what was written has a group of KIND_GPU.
func (l *Loader) FindGPUs(cfg *modelconfig.ModelConfig, asked bool) GPUs {
	found, backendName := GPUs{Here: l.supported()}, cfg.GetBackend()
	be := l.Backends[backendName]
	if be == nil {
		return found
	}
	found.Adapter = adapter(be, cfg)
	q := l.anyGroup(backendName)
	switch {
	case l.wantsGPUs(backendName, asked):
		if found.Used = l.gpusFor(backendName); len(found.Used) > 0 {
			return found
		}
		_, q.Without = l.usable(be)
	case len(found.Here) > 0:
		found.Why = fmt.Sprintf("Conch runs models of %s on a GPU only where a group has KIND_GPU", backendName)
		return found
	}
	found.Why = q.WhyNone()
	return found
}

// anyGroup asks about a config of a backend on this machine.
func (l *Loader) anyGroup(backendName string) placement.Question {
	machine := l.machine(false)
	return placement.Question{
		Config: &modelconfig.ModelConfig{Backend: backendName}, Machine: machine.Supported(l.LeastCapability), Trouble: machine.WhyNone(l.LeastCapability),
	}
}

// supported returns the numbers of the machine's GPUs that have the least compute capability.
func (l *Loader) supported() (list []int32) {
	for _, id := range l.machine(false).Supported(l.LeastCapability) {
		list = append(list, int32(id))
	}
	return list
}

// wantsGPUs reports whether the GPUs are needed to settle a config. A backend may start a program to tell them, and nobody
// asks it on a machine that is known to have none.
func (l *Loader) wantsGPUs(backendName string, asked bool) bool {
	row := backends.Named(backendName)
	return asked || row.OnGPUs || row.TakesGPUs && len(l.machine(false).GPUs) > 0
}

func listsGPUs(given *modelconfig.ModelConfig) bool {
	return slices.ContainsFunc(given.GetInstanceGroup(), func(g *modelconfig.ModelInstanceGroup) bool { return len(g.Gpus) > 0 })
}

func asksGPUs(given *modelconfig.ModelConfig) bool {
	return slices.ContainsFunc(given.GetInstanceGroup(), onGPU)
}

func onGPU(g *modelconfig.ModelInstanceGroup) bool {
	return g.Kind == modelconfig.ModelInstanceGroup_KIND_GPU
}

// question asks where the instances of a model run, where nothing is refused that need not be.
func (l *Loader) question(cfg *modelconfig.ModelConfig, be backend.Backend) placement.Question {
	q := placement.Question{Config: cfg, OnGPUs: backends.Named(cfg.Backend).OnGPUs, Least: l.LeastCapability, Adapter: adapter(be, cfg)}
	if slices.ContainsFunc(cfg.InstanceGroup, onGPU) { // nobody looks for GPUs before a model needs one
		machine := l.machine(false)
		q.Machine, q.Trouble = machine.Supported(q.Least), machine.WhyNone(q.Least)
		q.GPUs, q.Without = l.usable(be)
	}
	return q
}

// adapter is what a backend runs instances on that are on no GPU, in place of the processor; "" for the processor.
func adapter(be backend.Backend, cfg *modelconfig.ModelConfig) string {
	if a, has := be.(backend.Adapter); has {
		return a.Adapter(cfg)
	}
	return ""
}

// place decides where the instances of a model run.
func (l *Loader) place(cfg *modelconfig.ModelConfig, be backend.Backend) (placement.Plan, error) {
	q := l.question(cfg, be)
	q.Strict = l.StrictGPU.Load()
	plan, err := placement.Decide(q)
	if err != nil && q.Strict {
		q.Strict = false
		err = strictly(err, q)
	}
	return plan, err
}

// strictly returns a refusal with where the model would run if models whose GPUs are missing were not refused; err alone where that is not why.
func strictly(err error, otherwise placement.Question) error {
	plan, other := placement.Decide(otherwise)
	if i := slices.IndexFunc(plan.Notes, func(n placement.Note) bool { return n.Why != "" }); other == nil && i >= 0 {
		return &placement.Strict{Refusal: err, Note: plan.Notes[i]}
	}
	return err
}

// ofList is strictly for KIND_AUTO with a list of GPUs that are missing: Triton makes it KIND_CPU, and refuses the list.
func (l *Loader) ofList(err error, p *Definition) error {
	if p.lenient == nil || !isRefusedBy(rule.IG7, err) {
		return err
	}
	return strictly(err, l.question(p.lenient, l.Backends[p.Config.Backend]))
}

// Place returns on what a model would run if it were loaded now, as placement.Plan.Names has it; nothing for an ensemble.
func (l *Loader) Place(p *Definition) ([]string, error) {
	be := l.Backends[p.Config.GetBackend()]
	switch {
	case p.Ensemble():
		return nil, nil
	case be == nil:
		return nil, infer.Refused(rule.L10, p.Config.GetBackend())
	}
	plan, err := l.place(p.Config, be)
	if err != nil {
		return nil, err
	}
	if err := refusedBy(rule.IG7, p.Config); err != nil {
		return nil, l.ofList(err, p)
	}
	devices, names := plan.Devices(), plan.Names()
	if alone := backends.Named(p.Config.Backend).GPUsAlone(); alone != "" && !slices.ContainsFunc(devices, isGPU) {
		if ids, why := l.usable(be); len(ids) == 0 {
			return nil, infer.Errorf(infer.InvalidArg, "%s; %s", strings.TrimSuffix(why, "."), alone)
		}
		return nil, infer.Errorf(infer.InvalidArg, "the config puts no instance on a GPU; %s", alone)
	}
	if slices.ContainsFunc(p.Config.InstanceGroup, onModel) { // the model chooses itself
		ids, _ := l.usable(be)
		for _, id := range ids {
			if d := (backend.Device{GPU: true, ID: id}); !slices.Contains(devices, d) {
				devices, names = append(devices, d), append(names, d.String())
			}
		}
	}
	if f, foresees := be.(backend.Foreseer); foresees {
		if err := f.Foresee(p.Config, devices); err != nil {
			return nil, err
		}
	}
	return names, nil
}

func isGPU(d backend.Device) bool { return d.GPU }

func onModel(g *modelconfig.ModelInstanceGroup) bool {
	return g.Kind == modelconfig.ModelInstanceGroup_KIND_MODEL
}

// tellPlace logs what a person should know of where the instances of a model run. It is called when they are made: of a load that fails, only the error
// is true.
func (l *Loader) tellPlace(v *Version) {
	for _, note := range v.plan.Notes {
		l.Log.Warn(note.Text(), "model", v.Name)
	}
}
