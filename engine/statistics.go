package engine

import (
	"maps"
	"slices"
	"strconv"

	"conch/engine/cache"
	"conch/engine/control"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/metrics"
	"conch/engine/model"
)

// Statistics returns the counters of one version, of all versions of a model, or of all models.
func (e *Engine) Statistics(name string, version int64) ([]kserve.Statistics, error) {
	if name == "" {
		return statisticsOf(e.manager.Serving()), nil
	}
	versions := e.manager.Versions(name)
	switch {
	case len(versions) == 0:
		return nil, control.NotStatistics(name, infer.Latest)
	case version == infer.Latest:
		return statisticsOf(versions), nil
	}
	for _, v := range versions {
		if v.Number == version {
			return statisticsOf([]*model.Version{v}), nil
		}
	}
	return nil, control.NotStatistics(name, version)
}

func statisticsOf(versions []*model.Version) []kserve.Statistics {
	list := make([]kserve.Statistics, len(versions))
	for i, v := range versions {
		list[i] = statistics(v, v.Counters().Snapshot())
	}
	return list
}

// statistics converts a snapshot to Triton's form. A request's compute stages are counted together,
// so all three have the same count: successes without cache hits (docs/triton/metrics.md, "What
// counts as what").
func statistics(v *model.Version, s metrics.Snapshot) kserve.Statistics {
	out := kserve.Statistics{
		Name: v.Name, Version: strconv.FormatInt(v.Number, 10),
		LastInference: s.LastMs, InferenceCount: s.Inferences, ExecutionCount: s.Executions,
		Success:       kserve.Duration{Count: s.Success, Ns: s.RequestNs},
		Fail:          kserve.Duration{Count: s.Failed(), Ns: s.FailNs},
		Queue:         kserve.Duration{Count: s.Success, Ns: s.QueueNs},
		ComputeInput:  kserve.Duration{Count: s.Computed(), Ns: s.InputNs},
		ComputeInfer:  kserve.Duration{Count: s.Computed(), Ns: s.InferNs},
		ComputeOutput: kserve.Duration{Count: s.Computed(), Ns: s.OutputNs},
		CacheHit:      kserve.Duration{Count: s.Hits, Ns: s.HitNs},
		CacheMiss:     kserve.Duration{Count: s.Misses, Ns: s.MissNs},
	}
	for _, b := range s.Batches {
		out.Batches = append(out.Batches, kserve.BatchStatistics{
			Size:          uint64(b.Size),
			ComputeInput:  kserve.Duration{Count: b.Count, Ns: b.InputNs},
			ComputeInfer:  kserve.Duration{Count: b.Count, Ns: b.InferNs},
			ComputeOutput: kserve.Duration{Count: b.Count, Ns: b.OutputNs},
		})
	}
	return out
}

// CacheMetrics returns the metrics of the response cache; false when the engine has none.
func (e *Engine) CacheMetrics() (cache.Numbers, bool) {
	if e.cache == nil {
		return cache.Numbers{}, false
	}
	return e.cache.Numbers(), true
}

// ModelMetrics returns the numbers of the metrics page. They go on over reloads in place.
func (e *Engine) ModelMetrics() []kserve.ModelMetrics {
	var list []kserve.ModelMetrics
	for _, v := range e.manager.Serving() {
		all, own := v.Counters().Overall(), v.Counters().Split()
		whole := modelMetrics(v, all.Rest, own.Rest)
		whole.Load, whole.First = v.Took, own.Rest.First
		list = append(list, whole)
		for _, uuid := range slices.Sorted(maps.Keys(all.On)) {
			part := modelMetrics(v, all.On[uuid], own.On[uuid])
			part.GPU = uuid
			list = append(list, part)
		}
	}
	return list
}

// modelMetrics returns the numbers of a version, or of its part on a GPU: all of them, and those of this load.
func modelMetrics(v *model.Version, all, own metrics.Snapshot) kserve.ModelMetrics {
	return kserve.ModelMetrics{
		Statistics: statistics(v, all), Failures: all.Failures, Pending: all.Pending, Namespace: v.Namespace,
		Tags: v.Config.MetricTags, Ensemble: v.Config.GetEnsembleScheduling() != nil, Caches: v.Caches(),
		Latency: kserve.Latency{
			Generation: own.Generation, Request: own.Latency, Queue: own.QueueTimes, Input: own.InputTimes, Infer: own.InferTimes,
			Output: own.OutputTimes, CacheHit: own.HitTimes, CacheMiss: own.MissTimes,
		},
	}
}
