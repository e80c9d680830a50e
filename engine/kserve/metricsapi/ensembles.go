package metricsapi

import "conch/engine/kserve"

// counted is the version that counts the requests of all versions of an ensemble, whatever the name
// of its folder is (docs/triton/metrics.md, "Labels").
const counted = "1"

// rows returns the reported metrics in the form of the page. Version "1" of an ensemble has the sums of all its
// versions. Each other version shows only its failures.
func rows(reported []kserve.ModelMetrics) []kserve.ModelMetrics {
	type ensemble struct{ namespace, name string }
	list := make([]kserve.ModelMetrics, 0, len(reported))
	ones := map[ensemble]int{}
	for i := range reported {
		m := reported[i]
		if !m.Ensemble {
			list = append(list, m)
			continue
		}
		if m.Version != counted {
			failures := silent(&m)
			failures.Failures = m.Failures
			list = append(list, *failures)
			m.Version, m.Failures = counted, [4]uint64{}
		}
		key := ensemble{m.Namespace, m.Name}
		if at, there := ones[key]; there {
			add(&list[at], &m)
			continue
		}
		ones[key] = len(list)
		list = append(list, m)
	}
	return list
}

// add adds the numbers of another version.
func add(to, m *kserve.ModelMetrics) {
	to.InferenceCount += m.InferenceCount
	to.ExecutionCount += m.ExecutionCount
	to.Pending += m.Pending
	to.Load = max(to.Load, m.Load)
	for i := range to.Failures {
		to.Failures[i] += m.Failures[i]
	}
	from := durations(m)
	for i, d := range durations(to) {
		d.Count += from[i].Count
		d.Ns += from[i].Ns
	}
}

func durations(m *kserve.ModelMetrics) []*kserve.Duration {
	return []*kserve.Duration{
		&m.Success, &m.Fail, &m.Queue, &m.ComputeInput, &m.ComputeInfer, &m.ComputeOutput, &m.CacheHit, &m.CacheMiss,
	}
}
