package placement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/backend"
	"conch/engine/infer"
)

// Note says that a group of KIND_GPU does not run on the GPUs that it asks for, or that the accelerators for GPUs are idle.
type Note struct {
	Index int    // of the group; 0 where Idle
	Group string // its name
	// Asked is what it asks for: "KIND_GPU", or the GPUs of its list. A group with a list may have been KIND_AUTO.
	Asked string
	Runs  []backend.Device
	// Adapter is the Question's.
	Adapter string
	Why     string // a clause: "this machine has no GPU"; "" where there is Unused
	// Unused is what people are told in place of Why where Triton would run the group on GPUs that are here; "" where it would
	// refuse the model.
	Unused  string
	ByBuild bool // another build of ONNX Runtime would use those that are here
	// Idle means that the note is about the accelerators, and about no group.
	Idle bool
}

// Badge is the note in a few words.
func (n Note) Badge() string {
	if n.Idle {
		return "GPU accelerator, not used here"
	}
	asks := n.Asked
	if asks != kindGPU {
		asks = "asks for " + asks
	}
	return fmt.Sprintf("%s, runs %s here", asks, n.runs("on CPU"))
}

// Text is the note as a sentence for people.
func (n Note) Text() string {
	if n.Idle || n.Unused != "" {
		return n.Where()
	}
	return n.Where() + "; Triton would refuse the model on this machine"
}

// Where is the note without the judgement that Triton would refuse the model.
func (n Note) Where() string {
	if n.Idle {
		return n.Unused
	}
	does := fmt.Sprintf("instance group %s asks for %s and runs %s here", n.Group, n.Asked, n.runs("on the CPU"))
	if n.Unused != "" {
		return does + ": " + n.Unused
	}
	return does + ", because " + n.Why
}

// kindGPU is what a group without a list asks for.
const kindGPU = "KIND_GPU"

// asked is what a group asks for, in a few words.
func asked(g *modelconfig.ModelInstanceGroup) string {
	const few = 3
	switch list := listed(g); {
	case len(list) == 0:
		return kindGPU
	case len(list) > few:
		return fmt.Sprintf("%d GPUs", len(list))
	default:
		return names(list)
	}
}

// listed are the GPUs of a group's list, each once.
func listed(g *modelconfig.ModelInstanceGroup) (list []backend.Device) {
	for _, id := range g.Gpus {
		if at := (backend.Device{GPU: true, ID: int(id)}); !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	return list
}

// runs is where the group runs, where the processor is written as onCPU: "on the CPU", "on GPU 0, GPU 1", "by WebGPU".
func (n Note) runs(onCPU string) string {
	switch {
	case len(n.Runs) != 1 || n.Runs[0].GPU:
		return "on " + names(n.Runs)
	case n.Adapter != "":
		return "by " + n.Adapter
	}
	return onCPU
}

func names(list []backend.Device) string {
	texts := make([]string, len(list))
	for i, d := range list {
		texts[i] = d.String()
	}
	return strings.Join(texts, ", ")
}

// why says why a group does not run on the GPUs that it asks for, where Triton would refuse the model.
func (q Question) why(missing []backend.Device) string {
	absent := slices.DeleteFunc(missing, func(d backend.Device) bool { return slices.Contains(q.Machine, d.ID) })
	switch {
	case len(q.Machine) > 0:
		return "this machine has no " + names(absent) + " that can be used"
	case len(q.GPUs) > 0: // the backend knows GPUs that the driver's library does not tell
		return fmt.Sprintf("%s finds no %s on this machine", q.Config.Backend, names(absent))
	case q.Trouble != "":
		return "no GPU can be used on this machine (" + strings.TrimSuffix(q.Trouble, ".") + ")"
	}
	return "this machine has no NVIDIA GPU that can be used"
}

// WhyNone is a clause that says why a group which leaves the choice open does not run on a GPU, where the backend can use none.
func (q Question) WhyNone() string {
	if why, _ := q.unused(&modelconfig.ModelInstanceGroup{}); why != "" {
		return why
	}
	return q.why(nil)
}

// unused says why a group does not run on GPUs that are here, and whether another build of ONNX Runtime is the way; "" where one of those that it
// asks for is not.
func (q Question) unused(g *modelconfig.ModelInstanceGroup) (why string, byBuild bool) {
	if slices.ContainsFunc(g.Gpus, func(id int32) bool { return !contains(q.Machine, id) }) {
		return "", false
	}
	var idle []backend.Device
	for _, id := range q.Machine {
		if !slices.Contains(q.GPUs, id) && (len(g.Gpus) == 0 || slices.Contains(g.Gpus, int32(id))) {
			idle = append(idle, backend.Device{GPU: true, ID: id})
		}
	}
	if len(idle) == 0 {
		return "", false
	}
	are, them := "is", "it"
	if len(idle) > 1 {
		are, them = "are", "them"
	}
	without := strings.TrimSuffix(q.Without, ".")
	if q.Config.Backend == backends.ONNXRuntime {
		return fmt.Sprintf("%s %s here, but %s; Triton would run on %s. ONNX Runtime… in the menu of the engine, or `conch runtime list`, tells what to install",
			names(idle), are, cmp.Or(without, "ONNX Runtime cannot use "+them), them), true
	}
	if without != "" {
		without = ": " + without
	}
	return fmt.Sprintf("%s %s here, but %s cannot use %s%s; Triton would run on %s", names(idle), are, q.Config.Backend, them, without, them), false
}

// refusal is Triton's error for a group of KIND_GPU (docs/triton/validation.md, "Instance groups").
func (q Question) refusal(g *modelconfig.ModelInstanceGroup) error {
	if alone := backends.Named(q.Config.Backend).GPUsAlone(); q.OnGPUs && len(q.GPUs) == 0 && alone != "" {
		said := q.refused(g).Error()
		if strings.HasSuffix(said, ": ") { // Triton's list of no GPUs
			said += "none"
		}
		if q.Without != "" && (len(q.Machine) > 0 || q.Trouble != "") {
			said += "; " + strings.TrimSuffix(q.Without, ".")
		}
		return infer.Said(rule.IG4.Status, said+"; "+alone)
	}
	return q.refused(g)
}

// refused is the same in Triton's words alone.
func (q Question) refused(g *modelconfig.ModelInstanceGroup) error {
	switch {
	case q.OnGPUs && len(q.GPUs) == 0 && len(q.Machine) > 0: // Triton without a part for GPUs
		return infer.Errorf(infer.InvalidArg, "instance group %s of model %s has kind KIND_GPU but server does not support GPUs", g.Name, q.Config.Name)
	case len(g.Gpus) == 0:
		return infer.Refused(rule.IG4, g.Name, q.Config.Name)
	}
	return q.wrongNumber(g, q.unsupported(g))
}

func (q Question) wrongNumber(g *modelconfig.ModelInstanceGroup, gpu int32) error {
	return infer.Refused(rule.IG6, g.Name, q.Config.Name, gpu, q.Least, numbers(q.supported()))
}

// supported are the GPUs that Triton would have here.
func (q Question) supported() []int {
	if len(q.Machine) > 0 {
		return q.Machine
	}
	return q.GPUs
}

// unsupported returns the first GPU of a group's list that Triton would not have here.
func (q Question) unsupported(g *modelconfig.ModelInstanceGroup) int32 {
	for _, id := range g.Gpus {
		if !contains(q.supported(), id) {
			return id
		}
	}
	return g.Gpus[0]
}

func contains(ids []int, id int32) bool {
	for _, known := range ids {
		if known == int(id) {
			return true
		}
	}
	return false
}

func numbers(ids []int) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = fmt.Sprint(id)
	}
	return strings.Join(texts, ", ")
}
