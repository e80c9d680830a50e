package engineapi

import (
	"context"
	"time"

	"conch/engine/histogram"
	"conch/engine/kserve/enginepb"
	"conch/engine/model"
)

// Sample gives the counters of every version that serves.
func (s *Server) Sample(context.Context, *enginepb.SampleRequest) (*enginepb.SampleResponse, error) {
	used := processUsage()
	response := &enginepb.SampleResponse{
		TimeMs: time.Now().UnixMilli(), ResidentBytes: used.resident, CpuNs: used.cpu,
	}
	for _, v := range s.engine.Manager().Serving() {
		response.Models = append(response.Models, sampleMessage(v))
	}
	return response, nil
}

// usage is what the process takes of the machine; zero where the system does not tell.
type usage struct {
	resident uint64 // bytes, without shared pages
	cpu      uint64 // nanoseconds, user and system
}

func sampleMessage(v *model.Version) *enginepb.ModelSample {
	s := v.Counters().Snapshot()
	return &enginepb.ModelSample{
		Name: v.Name, Version: v.Number, Generation: s.Generation,
		Success: s.Success, Failure: s.Failed(), Inferences: s.Inferences, Executions: s.Executions,
		RequestNs: s.RequestNs, QueueNs: s.QueueNs, InputNs: s.InputNs, InferNs: s.InferNs, OutputNs: s.OutputNs,
		Latency: histogramMessage(s.Latency), Queue: histogramMessage(s.QueueTimes), Input: histogramMessage(s.InputTimes),
		Infer: histogramMessage(s.InferTimes), Output: histogramMessage(s.OutputTimes),
		CacheHits: s.Hits, CacheMisses: s.Misses, Pending: s.Pending, Failures: s.Failures[:],
	}
}

func histogramMessage(h histogram.Counts) *enginepb.Histogram {
	return &enginepb.Histogram{Index: h.Index, Count: h.Count}
}
