package engineapi

import (
	"context"
	"math"
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
	response := &enginepb.SampleResponse{
		TimeMs: time.Now().UnixMilli(), ResidentBytes: used.resident + s.workersMemory(), CpuNs: used.cpu,
	}
	for _, sum := range s.engine.Sums() {
		response.Models = append(response.Models, sampleMessage(&sum))
	}
	devices := s.engine.Devices()
	response.GpuTrouble = devices.Trouble
	for i := range devices.GPUs {
		response.Gpus = append(response.Gpus, gpuMessage(&devices.GPUs[i]))
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

// workersMemory is the resident memory of the processes that models run in, in bytes, without what they share.
func (s *Server) workersMemory() (sum uint64) {
	for _, version := range s.engine.Manager().Serving() {
		for _, worker := range version.Workers() {
			sum += worker.Process.Resident
		}
	}
	return sum
}

func gpuMessage(g *device.GPU) *enginepb.Gpu {
	return &enginepb.Gpu{
		Index: int32(g.Index), Uuid: g.UUID, Name: g.Name, TotalBytes: known(g.Total), UsedBytes: known(g.Used),
		Utilization: known(g.Utilization), PowerWatts: known(g.Power), Temperature: known(g.Temperature),
	}
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
