package scenario

import (
	"context"
	"encoding/binary"
	"fmt"
	"regexp"
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

// metric is a line of the metrics page about failures or waiting requests of a model.
var metric = regexp.MustCompile(`(?m)^nv_inference_(?:request_failure|pending_request_count)\{(.*)\} (\S+)$`)

// failures tells what the metrics page says, in the order of the reasons; the pending requests come last.
func (s *stage) failures(ctx context.Context, model string) error {
	page, err := s.page(ctx)
	if err != nil {
		return err
	}
	counts := map[string]string{}
	for _, found := range metric.FindAllStringSubmatch(page, -1) {
		if !strings.Contains(found[1], `model="`+model+`"`) {
			continue
		}
		_, reason, known := strings.Cut(found[1], `reason="`)
		reason, _, _ = strings.Cut(reason, `"`)
		if !known {
			reason = "PENDING"
		}
		counts[reason] = found[2]
	}
	fmt.Fprintf(&s.told, "failures %s:", model)
	for _, reason := range []string{"REJECTED", "CANCELED", "BACKEND", "OTHER", "PENDING"} {
		fmt.Fprintf(&s.told, " %s %s", reason, counts[reason])
	}
	s.told.WriteByte('\n')
	return nil
}
