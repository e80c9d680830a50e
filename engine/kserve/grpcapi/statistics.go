package grpcapi

import (
	"context"

	"conch/engine/kserve"
	"conch/engine/kserve/kservepb"
)

// ModelStatistics returns the counters of one model or of all.
func (s *server) ModelStatistics(_ context.Context, req *kservepb.ModelStatisticsRequest) (*kservepb.ModelStatisticsResponse, error) {
	version, err := kserve.ParseVersion(req.GetVersion())
	if err != nil {
		return nil, statusOf(err)
	}
	stats, err := s.svc.Statistics(req.GetName(), version)
	if err != nil {
		return nil, statusOf(err)
	}
	resp := &kservepb.ModelStatisticsResponse{}
	for i := range stats {
		resp.ModelStats = append(resp.ModelStats, statistics(&stats[i]))
	}
	return resp, nil
}

func statistics(s *kserve.Statistics) *kservepb.ModelStatistics {
	out := &kservepb.ModelStatistics{
		Name: s.Name, Version: s.Version, LastInference: s.LastInference,
		InferenceCount: s.InferenceCount, ExecutionCount: s.ExecutionCount,
		InferenceStats: &kservepb.InferStatistics{
			Success: duration(s.Success), Fail: duration(s.Fail), Queue: duration(s.Queue),
			ComputeInput: duration(s.ComputeInput), ComputeInfer: duration(s.ComputeInfer),
			ComputeOutput: duration(s.ComputeOutput), CacheHit: duration(s.CacheHit), CacheMiss: duration(s.CacheMiss),
		},
	}
	for _, b := range s.Batches {
		out.BatchStats = append(out.BatchStats, &kservepb.InferBatchStatistics{
			BatchSize: b.Size, ComputeInput: duration(b.ComputeInput),
			ComputeInfer: duration(b.ComputeInfer), ComputeOutput: duration(b.ComputeOutput),
		})
	}
	return out
}

func duration(d kserve.Duration) *kservepb.StatisticDuration {
	return &kservepb.StatisticDuration{Count: d.Count, Ns: d.Ns}
}
