package serve

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"conch/engine/backend"
	"conch/engine/device"
	"conch/engine/option"
	"conch/engine/placement"
)

// cudaVisible is the variable by which CUDA hides GPUs.
const cudaVisible = "CUDA_VISIBLE_DEVICES"

// numberByBus has CUDA number the GPUs as device.GPU does, unless the user has another order. CUDA reads the variable when a
// framework starts it.
func numberByBus() {
	if _, set := os.LookupEnv(device.OrderVariable); !set {
		_ = os.Setenv(device.OrderVariable, device.ByBus) // fails for names that are none
	}
}

// watchGPUs has the GPUs of the machine read until ctx ends, for models, metrics and people.
func (f *Flags) watchGPUs(ctx context.Context, by device.Reader, s *settings, log *slog.Logger) {
	numberByBus()
	f.tellLeastInterval(log)
	watcher := device.Watch(ctx, by, f.MetricsInterval(), log)
	machine := machineOf(watcher, log)
	s.engine.Devices, s.engine.Loader.Machine = func() device.Snapshot { return Shown(watcher.Snapshot()) }, machine
	s.engine.GPULabels = f.GPUMetrics
	s.backends.GPUs = func() []backend.Memory { return memoryOf(machine(false)) }
}

// tellLeastInterval says that the GPUs are read less often than asked for.
func (f *Flags) tellLeastInterval(log *slog.Logger) {
	if f.MetricsInterval() == option.LeastMetricsInterval && f.MetricsEveryMs != option.LeastMetricsInterval.Milliseconds() {
		log.Warn(fmt.Sprintf("--metrics-interval-ms=%d is below the shortest interval of Conch: the GPUs are read every %d ms",
			f.MetricsEveryMs, option.LeastMetricsInterval.Milliseconds()))
	}
}

// machineOf returns what placement asks of the GPUs. It waits for the first answer of the driver, or for a fresh one.
func machineOf(w *device.Watcher, log *slog.Logger) func(fresh bool) placement.Machine {
	var hiding sync.Once
	return func(fresh bool) placement.Machine {
		s := w.Known()
		hiding.Do(func() { hideLost(s, log) })
		if fresh && len(s.GPUs) > 0 {
			s = w.Fresh()
		}
		return placeable(s)
	}
}

// placeable is what placement knows of the GPUs. Where CUDA_VISIBLE_DEVICES hides all of them, that is why none are known.
func placeable(s device.Snapshot) placement.Machine {
	m := visible(machine(s))
	if len(m.GPUs) == 0 && m.Trouble == "" {
		m.Trouble = Shown(s).Trouble
	}
	return m
}

// visible is what CUDA shows of the GPUs to this process and those that it starts.
func visible(m placement.Machine) placement.Machine {
	list, set := os.LookupEnv(cudaVisible)
	return m.Visible(list, set)
}

// Shown is what people and metrics are told of the GPUs: those that CUDA shows, with its numbers, as models have them. Of a divided GPU of
// which it shows a chosen instance, only that one is told. Triton tells of no others either.
func Shown(s device.Snapshot) device.Snapshot {
	known := s
	known.Trouble, known.NoCUDA = "", "" // what was known before has a number too
	m := visible(machine(known))
	all := named(s.GPUs, m)
	if _, set := os.LookupEnv(cudaVisible); !set {
		s.GPUs = all
		return s
	}
	s.GPUs = nil
	for _, g := range m.GPUs {
		s.GPUs = append(s.GPUs, toldOf(all, g))
	}
	if len(s.GPUs) == 0 && len(all) > 0 && s.Trouble == "" {
		s.Trouble = fmt.Sprintf("%s shows none of the %d GPUs of this machine to Conch.", cudaVisible, len(all))
	}
	return s
}

// named returns the GPUs and their instances with the names by which models have those that CUDA shows.
func named(gpus []device.GPU, visible placement.Machine) []device.GPU {
	name := func(uuid string) string {
		i := slices.IndexFunc(visible.GPUs, func(g placement.GPU) bool { return g.UUID == uuid })
		if i < 0 {
			return ""
		}
		return backend.Device{GPU: true, ID: visible.GPUs[i].ID}.String()
	}
	gpus = slices.Clone(gpus)
	for i := range gpus {
		g := &gpus[i]
		g.Device, g.Instances = name(g.UUID), slices.Clone(g.Instances)
		for j := range g.Instances {
			g.Instances[j].Device = name(g.Instances[j].UUID)
		}
	}
	return gpus
}

// toldOf finds what the driver tells of a GPU that CUDA shows, or of the one of which it shows an instance.
func toldOf(all []device.GPU, shown placement.GPU) device.GPU {
	of := func(one device.Instance) bool { return one.UUID == shown.UUID }
	i := slices.IndexFunc(all, func(g device.GPU) bool { return g.UUID == shown.UUID || slices.ContainsFunc(g.Instances, of) })
	g := all[i]
	g.Index = shown.ID
	if at := slices.IndexFunc(g.Instances, of); at >= 0 {
		g.Instances = g.Instances[at : at+1 : at+1]
	}
	return g
}

// hideLost hides GPUs that the driver has lost from CUDA, which would start on none of them otherwise, before a framework starts it.
func hideLost(s device.Snapshot, log *slog.Logger) {
	if len(s.Lost) == 0 {
		return
	}
	var left []string
	for i := range s.GPUs {
		if !s.GPUs[i].Empty { // CUDA would end its list there
			left = append(left, s.GPUs[i].UUID)
		}
	}
	if len(left) == 0 { // CUDA starts on none anyway
		return
	}
	const restart = "restart the machine to get them back"
	if visible, set := os.LookupEnv(cudaVisible); set {
		log.Warn("GPUs are lost; "+restart, "lost", s.Lost, cudaVisible, visible)
		return
	}
	_ = os.Setenv(cudaVisible, strings.Join(left, ",")) // fails for names that are none
	log.Warn("GPUs are lost; models run on the others, with other numbers; "+restart, "lost", s.Lost, "others", left)
}

func machine(s device.Snapshot) placement.Machine {
	m := placement.Machine{Trouble: cmp.Or(s.Trouble, s.AllLost(), s.NoCUDA)}
	if m.Trouble != "" { // what was known before is no reason to ask the driver for more
		return m
	}
	for i := range s.GPUs {
		g := &s.GPUs[i]
		capability, _ := strconv.ParseFloat(g.Capability, 64) // 0 where it is unknown
		m.GPUs = append(m.GPUs, placement.GPU{
			ID: g.Index, UUID: g.UUID, Capability: capability, Total: orZero(g.Total), Used: orZero(g.Used), Parts: parts(g), Empty: g.Empty,
		})
	}
	return m
}

func parts(g *device.GPU) (list []placement.Part) {
	for _, one := range g.Instances {
		list = append(list, placement.Part{
			UUID: one.UUID, Number: one.Number, Compute: one.Compute, Total: orZero(one.Total), Used: orZero(one.Used),
		})
	}
	return list
}

func orZero(n float64) float64 {
	if math.IsNaN(n) {
		return 0
	}
	return n
}

// memoryOf returns the GPUs with their free memory; 0 where it is unknown.
func memoryOf(m placement.Machine) []backend.Memory {
	var list []backend.Memory
	for _, g := range m.GPUs {
		list = append(list, backend.Memory{Device: backend.Device{GPU: true, ID: g.ID}, Bytes: uint64(max(g.Total-g.Used, 0))})
	}
	return list
}
