package engineapi

import (
	"cmp"
	"context"
	"math"
	"os"
	"slices"
	"time"

	"conch/engine/device"
	"conch/engine/histogram"
	"conch/engine/kserve/enginepb"
	"conch/engine/memory"
	"conch/engine/metrics"
)

// Sample returns the sums of every version that serves or has served.
func (s *Server) Sample(_ context.Context, request *enginepb.SampleRequest) (*enginepb.SampleResponse, error) {
	used := processUsage()
	workers := s.workerProcesses()
	for _, resident := range workers {
		used.resident += resident
	}
	response := &enginepb.SampleResponse{TimeMs: time.Now().UnixMilli(), ResidentBytes: used.resident, CpuNs: used.cpu}
	for _, sum := range s.engine.Sums() {
		response.Models = append(response.Models, sampleMessage(&sum))
	}
	devices := s.engine.Devices()
	response.GpusRead = !devices.At.IsZero()
	response.GpuTrouble, response.GpuDriver, response.NoCuda = devices.Trouble, driverText(devices), devices.NoCUDA
	for _, index := range devices.Lost {
		response.GpusLost = append(response.GpusLost, int32(index))
	}
	for i := range devices.GPUs {
		gpu := gpuMessage(&devices.GPUs[i])
		for _, p := range gpu.Processes {
			_, isWorker := workers[int(p.Pid)]
			p.Own = isWorker || int(p.Pid) == os.Getpid()
		}
		response.Gpus = append(response.Gpus, gpu)
		response.GpuEnergy = append(response.GpuEnergy, known(devices.GPUs[i].Energy))
	}
	if free, known := memory.Free(); known {
		response.FreeBytes = uint64(max(free, 0))
	}
	for _, model := range request.MemoryOf {
		if status, ok := s.engine.Manager().Status(model); ok && status.Instances > 0 {
			response.Memory = append(response.Memory, &enginepb.ModelMemory{Model: model, Bytes: status.Memory, Memory: deviceMemory(status.Devices)})
		}
	}
	return response, nil
}

// workerProcesses is the resident memory of the processes that models run in, in bytes, without what they share, by their numbers.
func (s *Server) workerProcesses() map[int]uint64 {
	list := map[int]uint64{}
	for _, version := range s.engine.Manager().Serving() {
		for _, worker := range version.Workers() {
			list[worker.Process.PID] += worker.Process.Resident
		}
	}
	return list
}

// mostProcesses bounds how many programs on a GPU are told one by one.
const mostProcesses = 8

func gpuMessage(g *device.GPU) *enginepb.Gpu {
	out := &enginepb.Gpu{
		Index: int32(g.Index), Uuid: g.UUID, Name: g.Name, TotalBytes: known(g.Total), UsedBytes: known(g.Used),
		Utilization: known(g.Utilization), PowerWatts: known(g.Power), MaxPowerWatts: known(g.MaxPower),
		Temperature: known(g.Temperature), ClockMhz: known(g.Clock), ProcessCount: uint32(len(g.Processes)),
		Divided: g.MIG, Device: g.Device,
	}
	for _, one := range g.Instances {
		out.Instances = append(out.Instances, &enginepb.GpuInstance{
			Number: int32(one.Number), Compute: int32(one.Compute), Uuid: one.UUID, Profile: one.Profile,
			TotalBytes: known(one.Total), UsedBytes: known(one.Used), Device: one.Device,
		})
	}
	list := slices.Clone(g.Processes)
	slices.SortStableFunc(list, func(a, b device.Process) int {
		return cmp.Or(cmp.Compare(known(b.Used), known(a.Used)), cmp.Compare(a.PID, b.PID))
	})
	for _, p := range list[:min(len(list), mostProcesses)] {
		out.Processes = append(out.Processes, &enginepb.GpuProcess{Pid: int32(p.PID), Bytes: known(p.Used)})
	}
	return out
}

// driverText is the driver's version and the newest CUDA that it runs.
func driverText(s device.Snapshot) string {
	if s.Driver == "" || s.CUDA == "" || s.NoCUDA != "" {
		return s.Driver
	}
	return s.Driver + ", CUDA " + s.CUDA
}

// known returns a number, or -1 for one that the driver does not tell.
func known(n float64) float64 {
	if math.IsNaN(n) {
		return -1
	}
	return n
}

// usage is the process's use of the machine; zero where the system does not report it.
type usage struct {
	resident uint64 // bytes, without shared pages
	cpu      uint64 // nanoseconds, user and system
}

func sampleMessage(s *metrics.Sum) *enginepb.ModelSample {
	return &enginepb.ModelSample{
		Name: s.Model, Version: s.Version, Generation: s.Generation,
		Success: s.Success, Failure: s.Failed(), Inferences: s.Inferences, Executions: s.Executions,
		RequestNs: s.RequestNs, QueueNs: s.QueueNs, InputNs: s.InputNs, InferNs: s.InferNs, OutputNs: s.OutputNs,
		Latency: histogramMessage(s.Latency), Queue: histogramMessage(s.QueueTimes), Input: histogramMessage(s.InputTimes),
		Infer: histogramMessage(s.InferTimes), Output: histogramMessage(s.OutputTimes),
		CacheHits: s.Hits, CacheMisses: s.Misses, Pending: s.Pending, Failures: s.Failures[:], Clients: clientMessage(&s.Clients),
	}
}

func clientMessage(c *metrics.Clients) *enginepb.ClientSample {
	return &enginepb.ClientSample{
		Success: c.Success, Failure: c.Failure, RequestNs: c.RequestNs,
		QueueNs: c.QueueNs, InputNs: c.InputNs, InferNs: c.InferNs, OutputNs: c.OutputNs, Latency: histogramMessage(c.Latency),
	}
}

func histogramMessage(h histogram.Counts) *enginepb.Histogram {
	return &enginepb.Histogram{Index: h.Index, Count: h.Count}
}
