package metricsapi

import "testing"

// The numbers are those of a page of Triton 24.10.
func TestNumbersAreWrittenAsTritonDoes(t *testing.T) {
	const page = "# HELP m Megabytes: 2.5e+10\n" +
		"m 2.5276502016e+10\n" +
		"m{model=\"a b 1e+06\",quantile=\"0.5\"} NaN\n" +
		"m 1.844666926797673e+16\n" +
		"m 0.0001220703125\n" +
		"m_bucket{le=\"+Inf\"} 1e+06\n"
	const want = "# HELP m Megabytes: 2.5e+10\n" +
		"m 25276502016\n" +
		"m{model=\"a b 1e+06\",quantile=\"0.5\"} Nan\n" +
		"m 1.844666926797673e+16\n" +
		"m 0.0001220703125\n" +
		"m_bucket{le=\"+Inf\"} 1000000\n"
	if got := string(asTriton([]byte(page))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
