package workspace

import (
	"context"
	"maps"
	"math"
	"math/bits"
	"time"

	"conch/app/api"
	"conch/app/sampler"
	"conch/app/store"
	"conch/engine/kserve/enginepb"
)

// sampleEvery is the finest resolution of the metrics.
const sampleEvery = time.Second

// sample asks an engine for its counters once a second and keeps them, whether it is shown or not.
func (s *openRepository) sample(ctx context.Context, d *side, engine Engine) {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	var differ *sampler.Differ
	var window sampler.Window
	var lately sampler.Busy
	var used usage
	for process := -1; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		pid, since := s.life(d)
		if pid != process { // counters begin at zero in each process
			process, differ, used = pid, sampler.New(since), usage{}
		}
		answer, err := askSample(ctx, engine, lately.Due(s.loaded(d)))
		if err != nil {
			continue // it restarts, or is very busy: the next answer covers this second too
		}
		sample := differ.Next(answer)
		sample.Repository = d.historyKey(s.key)
		if sample.Covered > 0 {
			s.w.opts.Store.AddSample(sample)
		}
		lately.Add(sample)
		rates := window.Add(sample)
		s.noteMemory(d, answer.Memory)
		perSecond := window.PerSecond()
		cpu, due := used.add(sample, perSecond)
		s.noteSample(d, sample, answer, figures{rates, perSecond, cpu, due})
	}
}

// life returns the current process of an engine, and since when it answers.
func (s *openRepository) life(d *side) (pid int, since time.Time) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return d.status.PID, d.since
}

// loaded lists the models that have instances, while their engine is the one that is shown.
func (s *openRepository) loaded(d *side) (names []string) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if s.side != d {
		return nil
	}
	for name, m := range s.running.models {
		if m.Instances > 0 {
			names = append(names, name)
		}
	}
	return names
}

func askSample(ctx context.Context, engine Engine, memoryOf []string) (*enginepb.SampleResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, sampleEvery)
	defer cancel()
	return engine.Sample(ctx, memoryOf)
}

// figures are the rates of this moment.
type figures struct {
	rates      map[string]float64
	perSecond  float64
	cpuPercent float64
	// usageDue is set when the window is told what the process uses.
	usageDue bool
}

func (s *openRepository) noteSample(d *side, sample store.Sample, answer *enginepb.SampleResponse, now figures) {
	s.apply(func(c *change) []string {
		if s.side != d {
			return nil
		}
		if now.usageDue || s.process.memory == 0 {
			s.process.memory, s.process.cpuPercent, s.process.free = roundBytes(sample.Memory), now.cpuPercent, roundFree(answer.FreeBytes)
		}
		maps.Copy(s.rates, now.rates)
		s.process.perSecond = now.perSecond
		s.process.gpus, s.process.gpuTrouble, s.process.gpuDriver = gpusOf(answer), answer.GpuTrouble, answer.GpuDriver
		s.process.gpusRead, s.process.noCUDA = answer.GpusRead, answer.NoCuda
		s.noteFull(c)
		s.noteLost(answer.GpusLost, c)
		return sortedKeys(now.rates)
	})
}

// noteMemory keeps what models hold now.
func (s *openRepository) noteMemory(d *side, list []*enginepb.ModelMemory) {
	if len(list) == 0 {
		return
	}
	s.apply(func(*change) (changed []string) {
		for _, m := range list {
			running := s.running.models[m.Model]
			if s.side != d || running == nil || running.MemoryBytes == m.Bytes {
				continue
			}
			running.MemoryBytes, running.Memory = m.Bytes, m.Memory
			changed = append(changed, m.Model)
		}
		return changed
	})
}

// gpusOf returns what the GPUs of the machine do, in steps that people see: a driver tells of a GPU at rest a little more or less each second.
func gpusOf(answer *enginepb.SampleResponse) (list []*api.Gpu) {
	for _, g := range answer.Gpus {
		gpu := &api.Gpu{
			Index: g.Index, Uuid: g.Uuid, Name: g.Name, TotalBytes: g.TotalBytes, UsedBytes: inSteps(g.UsedBytes, stepOfMemory),
			Utilization: inSteps(g.Utilization, 0.01), PowerWatts: inSteps(g.PowerWatts, 1), MaxPowerWatts: g.MaxPowerWatts,
			Temperature: inSteps(g.Temperature, 1), ClockMhz: inSteps(g.ClockMhz, 1), ProcessCount: g.ProcessCount,
			Divided: g.Divided, Device: g.Device,
		}
		for _, p := range g.Processes {
			gpu.Processes = append(gpu.Processes, &api.GpuProcess{Pid: p.Pid, Bytes: inSteps(p.Bytes, stepOfMemory), Own: p.Own})
		}
		for _, one := range g.Instances {
			gpu.Instances = append(gpu.Instances, &api.GpuInstance{
				Number: one.Number, Compute: one.Compute, Uuid: one.Uuid, Profile: one.Profile,
				TotalBytes: one.TotalBytes, UsedBytes: inSteps(one.UsedBytes, stepOfMemory), Device: one.Device,
			})
		}
		list = append(list, gpu)
	}
	return list
}

// stepOfMemory is a MiB.
const stepOfMemory = 1 << 20

// inSteps rounds a figure to a multiple of a step. What is below 0 stands for what is not known.
func inSteps(n, step float64) float64 {
	if n < 0 {
		return n
	}
	return math.Round(n/step) * step
}

// roundBytes rounds a figure that varies by a few pages to whole MiB. A window at rest would be sent a new one every
// second otherwise. The history keeps the figure itself.
func roundBytes(n uint64) uint64 { return n >> 20 << 20 }

// roundPercent rounds to whole numbers, and less than one to 1, 2 or 5 of the first digit that is not zero: 0.2, but never
// less than 0.01. What an engine at rest uses is not nothing.
func roundPercent(n float64) float64 {
	if n <= 0 || n >= 1 {
		return math.Round(max(n, 0))
	}
	unit := max(math.Pow(10, math.Floor(math.Log10(n))), 0.01)
	switch first := n / unit; {
	case first < 1.5:
		return unit
	case first < 3.5:
		return 2 * unit
	case first < 7.5:
		return 5 * unit
	}
	return 10 * unit
}

// roundFree rounds what is free of the memory to three binary digits, for the same reason: other programs change it all the time.
func roundFree(n uint64) uint64 {
	digits := bits.Len64(n)
	if digits < 3 {
		return n
	}
	return n >> (digits - 3) << (digits - 3)
}
