package placement

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"conch/engine/backend"
)

// GPU is a GPU of the machine.
type GPU struct {
	ID         int
	UUID       string  // "GPU-5b3c…", or "MIG-5b3c…" for an instance of one that is divided
	Capability float64 // of CUDA; 0 where it is unknown
	// Total and Used are bytes of memory; 0 where they are unknown.
	Total, Used float64
	Parts       []Part // of a GPU that is divided (MIG), by number
	Empty       bool   // it is divided and has no part
}

// Part is an instance of a GPU that is divided (MIG). CUDA shows it as a GPU of its own where it is named.
type Part struct {
	UUID            string  // "MIG-5b3c…"
	Number, Compute int     // of the GPU instance, and of the compute instance in it
	Total, Used     float64 // bytes of memory; 0 where they are unknown
}

// device is the instance as a GPU.
func (g GPU) device(one Part) GPU {
	return GPU{UUID: one.UUID, Capability: g.Capability, Total: one.Total, Used: one.Used}
}

// Machine is what is known of the GPUs of a machine.
type Machine struct {
	GPUs    []GPU
	Trouble string // why none are known; "" where there are none
}

// Supported returns the numbers of the GPUs that have a compute capability, ascending. One whose capability is unknown is
// taken to have it.
func (m Machine) Supported(least float64) []int {
	var ids []int
	for _, g := range m.GPUs {
		if g.Capability == 0 || g.Capability >= least {
			ids = append(ids, g.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// WhyNone is why the machine has no GPU that is supported: none is known, or all are older; "" where it has one, or has no GPUs.
func (m Machine) WhyNone(least float64) string {
	if m.Trouble != "" || len(m.GPUs) == 0 || len(m.Supported(least)) > 0 {
		return m.Trouble
	}
	old := make([]backend.Device, len(m.GPUs))
	for i, g := range m.GPUs {
		old[i] = backend.Device{GPU: true, ID: g.ID}
	}
	return fmt.Sprintf("%s: the compute capability is below %.1f, which --min-supported-compute-capability asks for", names(old), least)
}

// Usable returns the GPUs of a backend's list that the machine does not know to be too old.
func (m Machine) Usable(listed []int, least float64) []int {
	return slices.DeleteFunc(slices.Clone(listed), func(id int) bool {
		g, known := m.gpu(id)
		return known && g.Capability != 0 && g.Capability < least
	})
}

func (m Machine) gpu(id int) (GPU, bool) {
	i := slices.IndexFunc(m.GPUs, func(g GPU) bool { return g.ID == id })
	if i < 0 {
		return GPU{}, false
	}
	return m.GPUs[i], true
}

// Visible returns the GPUs that CUDA shows to a process with this value of CUDA_VISIBLE_DEVICES, with the numbers that CUDA
// gives them. The list holds numbers or beginnings of UUIDs, and ends at the first entry that fits no GPU or several. A list with a GPU twice
// shows none. It may name an instance of a divided GPU in place of a GPU: CUDA shows one instance to a process, so the list ends there. Without the
// variable it shows all GPUs. It shows no divided GPU without instances. Of a divided GPU among those that are shown CUDA shows its first instance, and nothing else then
// (docs/triton/completion.md, "Groups on GPUs").
func (m Machine) Visible(variable string, set bool) Machine {
	if !set {
		return m.firstInstance()
	}
	shown, seen := Machine{Trouble: m.Trouble}, []int{}
	for _, entry := range strings.Split(variable, ",") {
		entry = strings.TrimSpace(entry)
		if one, ok := m.instance(entry); ok && len(shown.GPUs) == 0 {
			shown.GPUs = []GPU{one}
			break
		}
		g, ok := m.named(entry)
		if !ok || g.Empty {
			break
		}
		if slices.Contains(seen, g.ID) {
			return Machine{Trouble: m.Trouble}
		}
		seen = append(seen, g.ID)
		g.ID = len(shown.GPUs)
		shown.GPUs = append(shown.GPUs, g)
	}
	return shown.firstInstance()
}

// firstInstance is the first instance of the first divided GPU alone. Where no GPU has one, they are those that are not divided.
func (m Machine) firstInstance() Machine {
	i := slices.IndexFunc(m.GPUs, func(g GPU) bool { return len(g.Parts) > 0 })
	if i < 0 {
		return m.whole()
	}
	g := m.GPUs[i]
	return Machine{GPUs: []GPU{g.device(g.Parts[0])}, Trouble: m.Trouble}
}

// whole are the GPUs without those that are divided and empty, with new numbers where there are any of these.
func (m Machine) whole() Machine {
	empty := func(g GPU) bool { return g.Empty }
	if !slices.ContainsFunc(m.GPUs, empty) {
		return m
	}
	m.GPUs = slices.DeleteFunc(slices.Clone(m.GPUs), empty)
	for i := range m.GPUs {
		m.GPUs[i].ID = i
	}
	return m
}

func (m Machine) named(entry string) (GPU, bool) {
	if id, err := strconv.Atoi(entry); err == nil {
		return m.gpu(id)
	}
	var fits []GPU
	for _, g := range m.GPUs {
		if strings.HasPrefix(entry, "GPU-") && strings.HasPrefix(g.UUID, entry) {
			fits = append(fits, g)
		}
	}
	if len(fits) != 1 {
		return GPU{}, false
	}
	return fits[0], true
}

// instance finds an instance by the beginning of its UUID, or as older drivers name it: by its GPU and two numbers, "MIG-GPU-5b3c…/1/0".
func (m Machine) instance(entry string) (GPU, bool) {
	if !strings.HasPrefix(entry, "MIG-") {
		return GPU{}, false
	}
	var fits []GPU
	for _, g := range m.GPUs {
		for _, one := range g.Parts {
			if strings.HasPrefix(one.UUID, entry) || entry == fmt.Sprintf("MIG-%s/%d/%d", g.UUID, one.Number, one.Compute) {
				fits = append(fits, g.device(one))
			}
		}
	}
	if len(fits) != 1 {
		return GPU{}, false
	}
	return fits[0], true
}
