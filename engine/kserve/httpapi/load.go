package httpapi

import (
	"fmt"
	"math"

	"conch/engine/kserve"
	"conch/engine/kserve/httpapi/jsondoc"
)

// The load report of the ORCA protocol (docs/triton/http.md, "Load report"): a request asks for it with one header, and
// the answer has it in the other.
const (
	loadFormatHeader = "endpoint-load-metrics-format"
	loadHeader       = "endpoint-load-metrics"
	// blocks is the family of metrics in which a language model tells of its cache, with one label.
	blocks     = "nv_trt_llm_kv_cache_block_metrics"
	blockLabel = "kv_cache_block_type"
)

// reportLoad adds the load report to an answer whose request asks for it, if a model defines the metrics.
func (c *call) reportLoad(svc kserve.Service) {
	format := c.r.Header.Get(loadFormatHeader)
	if format != "text" && format != "json" {
		return
	}
	reporter, ok := svc.(kserve.OwnReporter)
	if !ok {
		return
	}
	found := map[string]float64{}
	for _, m := range reporter.OwnMetrics() {
		if m.Name == blocks {
			found[m.Labels[blockLabel]] = m.Value
		}
	}
	used, hasUsed := found["used"]
	most, hasMost := found["max"]
	tokens, hasTokens := found["tokens_per"]
	if !hasUsed || !hasMost || !hasTokens || used < 0 || most < 0 || tokens < 0 {
		return
	}
	share := 0.0
	if most > 0 {
		share = used / most
	}
	c.w.Header().Set(loadHeader, loadReport(format, share, wholeTokens(most*tokens)))
}

// wholeTokens converts a number of tokens that a model computed.
func wholeTokens(n float64) uint64 {
	if !(n < math.MaxUint64) {
		return math.MaxUint64
	}
	return uint64(n)
}

func loadReport(format string, share float64, capacity uint64) string {
	if format == "text" {
		return fmt.Sprintf("TEXT named_metrics.kv_cache_utilization=%f, named_metrics.max_token_capacity=%d", share, capacity)
	}
	var b jsondoc.Builder
	b.Begin('{')
	b.Key("named_metrics")
	b.Begin('{')
	b.Key("kv_cache_utilization")
	b.Double(share)
	b.Key("max_token_capacity")
	b.Uint(capacity)
	b.End('}')
	b.End('}')
	return "JSON " + string(b.Bytes)
}
