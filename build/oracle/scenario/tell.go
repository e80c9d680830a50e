package scenario

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"conch/engine/kserve/kservepb"
)

// inWords is an answer on one line.
func inWords(r *kservepb.ModelInferResponse, err error) string {
	if err != nil {
		return refusal(err)
	}
	words := make([]string, 0, len(r.Outputs)) // by name: Triton keeps an ensemble's in a hash map
	for i, o := range r.Outputs {
		words = append(words, fmt.Sprintf(" %s%v=%s", o.Name, o.Shape, values(o.Datatype, r.RawOutputContents[i])))
	}
	slices.Sort(words)
	return "ok" + strings.Join(words, "")
}

// values are a tensor's elements: numbers, or texts in quotes.
func values(datatype string, raw []byte) string {
	var list []string
	for len(raw) >= 4 {
		n := binary.LittleEndian.Uint32(raw)
		raw = raw[4:]
		if datatype != "BYTES" {
			list = append(list, fmt.Sprint(int32(n)))
			continue
		}
		n = min(n, uint32(len(raw)))
		list = append(list, fmt.Sprintf("%q", raw[:n]))
		raw = raw[n:]
	}
	// A text that is the same for the whole batch is said once.
	if datatype == "BYTES" {
		list = slices.Compact(list)
	}
	return strings.Join(list, ",")
}

// statistics tells what a model counted, without the times.
func (s *stage) statistics(ctx context.Context, model string) error {
	reply, err := s.client.ModelStatistics(ctx, &kservepb.ModelStatisticsRequest{Name: model})
	if err != nil {
		fmt.Fprintf(&s.told, "stats %s: %s\n", model, refusal(err))
		return nil
	}
	for _, m := range reply.ModelStats {
		st := m.InferenceStats
		fmt.Fprintf(&s.told, "stats %s: inferences %d executions %d success %d fail %d queue %d input %d infer %d output %d hits %d misses %d batches",
			m.Name, m.InferenceCount, m.ExecutionCount, st.GetSuccess().GetCount(), st.GetFail().GetCount(), st.GetQueue().GetCount(),
			st.GetComputeInput().GetCount(), st.GetComputeInfer().GetCount(), st.GetComputeOutput().GetCount(),
			st.GetCacheHit().GetCount(), st.GetCacheMiss().GetCount())
		batches := slices.Clone(m.BatchStats)
		slices.SortFunc(batches, func(a, b *kservepb.InferBatchStatistics) int { return int(a.BatchSize) - int(b.BatchSize) })
		for _, b := range batches {
			fmt.Fprintf(&s.told, " %d×%d", b.ComputeInfer.GetCount(), b.BatchSize)
		}
		s.told.WriteByte('\n')
	}
	return nil
}
