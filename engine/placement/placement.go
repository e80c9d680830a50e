package placement

import (
	"fmt"
	"iter"
	"slices"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
)

// Question is what decides where the instances of a model run.
type Question struct {
	Config *modelconfig.ModelConfig // its groups are settled (configedit/derive)
	// Machine are the supported GPUs of the machine, and Trouble is why none are known; "" where none are there.
	Machine []int
	Trouble string
	// GPUs are those that the backend can use, ascending, and Without is a clause that says why it can use none. OnGPUs reports that it
	// runs on GPUs alone.
	GPUs    []int
	Without string
	OnGPUs  bool
	// Adapter is what instances that are on no GPU of these run on in place of the processor (backend.Adapter); "" for the processor.
	Adapter string
	// Least is the compute capability that a GPU must have.
	Least float64
	// Strict refuses what Triton refuses on this machine. It would run a group on GPUs that are here and that only the backend here cannot use.
	Strict bool
}

// Plan is where the instances of a model run.
type Plan struct {
	Groups []Group
	Notes  []Note // what does not use the GPUs that it asks for: groups, in their order, then the accelerators
	// Adapter is the Question's.
	Adapter string
}

// Group is an instance group and its devices. Its count is the number of instances on each of them.
type Group struct {
	*modelconfig.ModelInstanceGroup
	Devices []backend.Device
}

// Instance is one instance.
type Instance struct {
	Group *modelconfig.ModelInstanceGroup
	// Name is Triton's: the group's name and a number, the same on each device of the group. Label names the instance for
	// people. No other instance of the group has it.
	Name, Label string
	// Kind is the group's, but KIND_CPU for a group of KIND_GPU that runs on the CPU.
	Kind   modelconfig.ModelInstanceGroup_Kind
	Device backend.Device
}

// Strict is a refusal because models whose GPUs are missing are refused, in Triton's words. Note is where the model would run otherwise.
type Strict struct {
	Refusal error
	Note    Note
}

// Error returns Triton's words alone: clients get them.
func (s *Strict) Error() string { return s.Refusal.Error() }

// Unwrap returns the refusal.
func (s *Strict) Unwrap() error { return s.Refusal }

// Decide says where the instances run. An error is an *infer.Error in Triton's words.
func Decide(q Question) (Plan, error) {
	plan := Plan{Adapter: q.Adapter}
	for i, g := range q.Config.InstanceGroup {
		devices, note := []backend.Device{{}}, (*Note)(nil)
		if g.Kind == modelconfig.ModelInstanceGroup_KIND_GPU {
			devices, note = q.onGPUs(g)
		}
		if note != nil {
			if q.Strict && note.Unused == "" || q.OnGPUs && !devices[0].GPU {
				return Plan{}, q.refusal(g)
			}
			if i := slices.IndexFunc(g.Gpus, negative); i >= 0 {
				return Plan{}, q.wrongNumber(g, g.Gpus[i])
			}
			note.Index = i
			plan.Notes = append(plan.Notes, *note)
		}
		plan.Groups = append(plan.Groups, Group{g, devices})
	}
	if note := idle(q.Config, plan); note != nil {
		plan.Notes = append(plan.Notes, *note)
	}
	return plan, nil
}

// negative reports whether a number is that of no GPU on any machine.
func negative(gpu int32) bool { return gpu < 0 }

// onGPUs returns the devices of a group of KIND_GPU, with a note when they are not the ones it asks for: then they are the
// listed GPUs that there are, or the first GPU, or the CPU.
func (q Question) onGPUs(g *modelconfig.ModelInstanceGroup) ([]backend.Device, *Note) {
	var there, missing []backend.Device
	for _, id := range g.Gpus {
		d := backend.Device{GPU: true, ID: int(id)}
		if slices.Contains(q.GPUs, d.ID) {
			there = append(there, d)
		} else {
			missing = append(missing, d)
		}
	}
	if len(g.Gpus) == 0 {
		for _, id := range q.GPUs {
			there = append(there, backend.Device{GPU: true, ID: id})
		}
	}
	if len(there) > 0 && len(missing) == 0 {
		return there, nil
	}
	switch {
	case len(there) > 0:
	case len(q.GPUs) > 0:
		there = []backend.Device{{GPU: true, ID: q.GPUs[0]}}
	default:
		there = []backend.Device{{}}
	}
	note := &Note{Group: g.Name, Asked: asked(g), Runs: there, Adapter: q.Adapter}
	if note.Unused, note.ByBuild = q.unused(g); note.Unused == "" {
		note.Why = q.why(missing)
	}
	return there, note
}

// Count returns the number of instances.
func (p Plan) Count() int64 {
	count := int64(0)
	for _, g := range p.Groups {
		count += int64(max(g.Count, 0)) * int64(len(g.Devices))
	}
	return count
}

// All returns the instances in the order in which they are made, which is Triton's: the first of a group on each of its
// devices, then the second.
func (p Plan) All() iter.Seq[Instance] {
	return func(yield func(Instance) bool) {
		for _, g := range p.Groups {
			for i := range int(g.Count) {
				for j := range g.Devices {
					if !yield(g.instance(i, j)) {
						return
					}
				}
			}
		}
	}
}

// instance returns the instance with a number on a device of the list.
func (g Group) instance(i, j int) Instance {
	at := g.Devices[j]
	in := Instance{Group: g.ModelInstanceGroup, Name: fmt.Sprintf("%s_%d", g.Name, i), Kind: g.Kind, Device: at}
	if in.Kind == modelconfig.ModelInstanceGroup_KIND_GPU {
		in.Kind = at.Kind()
	}
	in.Label = in.Name
	if len(g.Devices) > 1 {
		in.Label += " on " + at.String()
	}
	if twice := slices.Index(g.Devices, at); twice < j { // a GPU may be listed again
		in.Label += fmt.Sprintf(" (%d)", j+1)
	}
	return in
}

// HostPolicy returns the name of the policy of --host-policy for the instance: its group's, or that of where it runs.
func (in Instance) HostPolicy() string {
	switch {
	case in.Group.GetHostPolicy() != "":
		return in.Group.GetHostPolicy()
	case in.Kind == modelconfig.ModelInstanceGroup_KIND_GPU:
		return fmt.Sprintf("gpu_%d", in.Device.ID)
	case in.Kind == modelconfig.ModelInstanceGroup_KIND_MODEL:
		return "model"
	}
	return "cpu"
}

// Devices returns the devices on which instances run, each once, in the order of the groups.
func (p Plan) Devices() []backend.Device {
	var list []backend.Device
	for _, g := range p.Groups {
		for _, d := range g.Devices {
			if !slices.Contains(list, d) {
				list = append(list, d)
			}
		}
	}
	return list
}

// Names returns them for people: "CPU", "GPU 0", or in place of the processor what the backend runs instances on, such as "WebGPU".
func (p Plan) Names() []string {
	var list []string
	for _, d := range p.Devices() {
		name := d.String()
		if !d.GPU && p.Adapter != "" {
			name = p.Adapter
		}
		list = append(list, name)
	}
	return list
}
