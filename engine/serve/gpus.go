package serve

import (
	"context"
	"log/slog"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"

	"conch/engine/backend"
	"conch/engine/device"
	"conch/engine/placement"
)

// The variables by which CUDA numbers and hides GPUs.
const (
	cudaOrder   = "CUDA_DEVICE_ORDER"
	cudaVisible = "CUDA_VISIBLE_DEVICES"
)

// numberByBus has CUDA number the GPUs as the driver's own tools do, by their place on the bus, unless the user has another
// order. CUDA reads the variable when a framework starts it.
func numberByBus() {
	if _, set := os.LookupEnv(cudaOrder); !set {
		_ = os.Setenv(cudaOrder, "PCI_BUS_ID") // fails for names that are none
	}
}

// watchGPUs has the GPUs of the machine read until ctx ends, for models, metrics and people.
func (f *Flags) watchGPUs(ctx context.Context, s *settings, log *slog.Logger) {
	numberByBus()
	watcher := device.Watch(ctx, f.MetricsInterval(), log)
	machine := machineOf(watcher, log)
	s.engine.Devices, s.engine.Loader.Machine = watcher.Snapshot, machine
	s.backends.GPUs = func() []backend.Memory { return memoryOf(machine(false)) }
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
		visible, set := os.LookupEnv(cudaVisible)
		return machine(s).Visible(visible, set)
	}
}

// hideLost hides GPUs that the driver has lost from CUDA, which would start on none of them otherwise, before a framework starts it.
func hideLost(s device.Snapshot, log *slog.Logger) {
	if len(s.Lost) == 0 {
		return
	}
	left := make([]string, len(s.GPUs))
	for i := range s.GPUs {
		left[i] = s.GPUs[i].UUID
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
	m := placement.Machine{Trouble: s.Trouble}
	if s.Trouble != "" { // what was known before is no reason to ask the driver for more
		return m
	}
	for i := range s.GPUs {
		g := &s.GPUs[i]
		capability, _ := strconv.ParseFloat(g.Capability, 64) // 0 where it is unknown
		m.GPUs = append(m.GPUs, placement.GPU{
			ID: g.Index, UUID: g.UUID, Capability: capability, Total: known(g.Total), Used: known(g.Used), Parts: parts(g),
		})
	}
	return m
}

func parts(g *device.GPU) (list []placement.Part) {
	for _, one := range g.Instances {
		list = append(list, placement.Part{
			UUID: one.UUID, Number: one.Number, Compute: one.Compute, Total: known(one.Total), Used: known(one.Used),
		})
	}
	return list
}

func known(n float64) float64 {
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
