package workspace

import (
	"context"
	"maps"
	"math"
	"time"

	"conch/app/api"
	"conch/app/sampler"
	"conch/app/store"
	"conch/engine/kserve/enginepb"
)

// sampleEvery is the finest resolution of the metrics.
const sampleEvery = time.Second

// sample asks the engine for its counters once a second and keeps them.
func (s *openRepository) sample() {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	var differ *sampler.Differ
	var window sampler.Window
	var lately sampler.Busy
	for process := 0; ; {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		pid, since := s.life()
		if pid != process { // counters begin at zero in each process
			process, differ = pid, sampler.New(since)
		}
		answer, err := s.askSample(lately.Models())
		if err != nil || differ == nil {
			continue // it restarts, or is very busy: the next answer covers this second too
		}
		sample := differ.Next(answer)
		sample.Repository = s.key
		if sample.Covered > 0 {
			s.w.opts.Store.AddSample(sample)
		}
		lately.Add(sample)
		s.noteMemory(answer.Memory)
		s.noteSample(sample, answer, window.Add(sample), window.PerSecond())
	}
}

// life returns the engine's current process, and since when it answers.
func (s *openRepository) life() (pid int, since time.Time) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.running.status.PID, s.running.readySince
}

func (s *openRepository) askSample(memoryOf []string) (*enginepb.SampleResponse, error) {
	client, err := s.client()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(s.ctx, sampleEvery)
	defer cancel()
	return client.Private.Sample(ctx, &enginepb.SampleRequest{MemoryOf: memoryOf})
}

func (s *openRepository) noteSample(sample store.Sample, answer *enginepb.SampleResponse, rates map[string]float64, perSecond float64) {
	s.apply(func(*change) []string {
		s.process.memory = roundBytes(sample.Memory)
		s.process.cpuPercent = 0
		if sample.Covered > 0 {
			s.process.cpuPercent = math.Round(1000*sample.CPU.Seconds()/sample.Covered.Seconds()) / 10
		}
		maps.Copy(s.rates, rates)
		s.process.perSecond = perSecond
		s.process.gpus, s.process.gpuTrouble = gpusOf(answer), answer.GpuTrouble
		return sortedKeys(rates)
	})
}

// noteMemory keeps what models hold now.
func (s *openRepository) noteMemory(list []*enginepb.ModelMemory) {
	if len(list) == 0 {
		return
	}
	s.apply(func(*change) (changed []string) {
		for _, m := range list {
			running := s.running.models[m.Model]
			if running == nil || running.MemoryBytes == m.Bytes {
				continue
			}
			running.MemoryBytes = m.Bytes
			changed = append(changed, m.Model)
		}
		return changed
	})
}

// gpusOf returns what the GPUs of the machine do.
func gpusOf(answer *enginepb.SampleResponse) (list []*api.Gpu) {
	for _, g := range answer.Gpus {
		list = append(list, &api.Gpu{
			Index: g.Index, Uuid: g.Uuid, Name: g.Name, TotalBytes: g.TotalBytes, UsedBytes: g.UsedBytes,
			Utilization: g.Utilization, PowerWatts: g.PowerWatts, Temperature: g.Temperature,
		})
	}
	return list
}

// roundBytes rounds a figure that varies by a few pages, so that it does not change every second.
func roundBytes(n uint64) uint64 { return n >> 18 << 18 }
