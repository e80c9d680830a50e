package check

import (
	"conch/configedit/diag"
	"conch/configedit/rule"
)

// checkMetrics: MM1 to MM4.
func (c *checker) checkMetrics() {
	for i, control := range c.cfg.GetModelMetrics().GetMetricControl() {
		path := []any{"model_metrics", "metric_control", i}
		if c.spoiled(path...) {
			continue
		}
		report := func(code, message, sentence string, where ...any) {
			c.add(rule.Poll, diag.Diagnostic{Code: code, Span: c.span(append(path, where...)...), Message: message, Triton: sentence})
		}
		switch {
		case control.MetricIdentifier == nil:
			report("MM1", "this metric_control does not say which metric it is for", "metric control must specify 'metric_identifier'", "metric_identifier")
		case control.MetricIdentifier.Family == "":
			report("MM2", "the metric_identifier does not say the family", "metric identifier must specify non-empty 'family'", "metric_identifier", "family")
		case control.GetHistogramOptions() == nil:
			report("MM3", "this metric_control has no histogram_options, which are all it can set", "metric control must specify 'histogram_options'", "histogram_options")
		case len(control.GetHistogramOptions().Buckets) == 0:
			report("MM4", "the histogram has no buckets", "histogram options must specify non-empty 'buckets'", "histogram_options", "buckets")
		}
	}
}
