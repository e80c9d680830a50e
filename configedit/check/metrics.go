package check

import "conch/configedit/rule"

// checkMetrics: MM1 to MM4.
func checkMetrics(c *checker) {
	for i, control := range c.cfg.GetModelMetrics().GetMetricControl() {
		path := []any{"model_metrics", "metric_control", i}
		if c.spoiled(path...) {
			continue
		}
		report := func(r *rule.Rule, message string, where ...any) {
			c.report(finding{rule: r, span: c.span(append(path, where...)...), message: message})
		}
		switch {
		case control.MetricIdentifier == nil:
			report(rule.MM1, "this metric_control does not say which metric it is for", "metric_identifier")
		case control.MetricIdentifier.Family == "":
			report(rule.MM2, "the metric_identifier does not say the family", "metric_identifier", "family")
		case control.GetHistogramOptions() == nil:
			report(rule.MM3, "this metric_control has no histogram_options, which are all it can set", "histogram_options")
		case len(control.GetHistogramOptions().Buckets) == 0:
			report(rule.MM4, "the histogram has no buckets", "histogram_options", "buckets")
		}
	}
}
