package serve

import (
	"fmt"
	"strconv"
	"strings"

	"conch/engine/kserve/metricsapi"
)

// metricsOptions reads --metrics-config (docs/triton/metrics.md, "The metrics page").
func (f *Flags) metricsOptions() (metricsapi.Options, error) {
	o := metricsapi.Options{NoProcessor: !f.CPUMetrics, NoGPUs: !f.GPUMetrics}
	for _, setting := range f.MetricsConfig {
		_, rest, named := strings.Cut(setting, ",")
		if !named || strings.Contains(strings.SplitN(setting, ",", 2)[0], "=") { // a list of quantiles has commas too
			rest = setting
		}
		key, value, ok := strings.Cut(rest, "=")
		if !ok {
			return o, fmt.Errorf("--metrics-config option format is '<setting>=<value>'. Got %s", setting)
		}
		var err error
		switch key {
		case "counter_latencies":
			var on bool
			on, err = strconv.ParseBool(value)
			o.NoCounters = !on
		case "histogram_latencies":
			o.Histograms, err = strconv.ParseBool(value)
		case "summary_latencies":
			o.Summaries, err = strconv.ParseBool(value)
		case "summary_quantiles":
			o.Quantiles, err = quantiles(value)
		default:
			err = fmt.Errorf("there is no such setting; there are counter_latencies, histogram_latencies, summary_latencies and summary_quantiles")
		}
		if err != nil {
			return o, fmt.Errorf("--metrics-config %s: %w", setting, err)
		}
	}
	return o, nil
}

// quantiles reads "0.5:0.05,0.9:0.01". The errors after the colons are for Triton's algorithm. Conch has the
// same error for all quantiles.
func quantiles(text string) ([]float64, error) {
	var list []float64
	for _, pair := range strings.Split(text, ",") {
		quantile, _, ok := strings.Cut(pair, ":")
		q, err := strconv.ParseFloat(quantile, 64)
		if !ok || err != nil || q < 0 || q > 1 {
			return nil, fmt.Errorf("%q is not <quantile>:<error>", pair)
		}
		list = append(list, q)
	}
	return list, nil
}
