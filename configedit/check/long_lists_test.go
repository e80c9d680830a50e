package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
)

// TestLongLists feeds long lists of everything that is checked element by element.
func TestLongLists(t *testing.T) {
	const n = 16000
	for name, config := range map[string]string{
		"inputs without anything": "input [ {} " + strings.Repeat(", {} ", n) + "]",
		"a list never closed":     "input [ {} " + strings.Repeat(", {} ", n),
		"one name":                strings.Repeat(`input { name: "a" data_type: TYPE_FP32 dims: 1 } `, n),
		"names":                   each(n, `input { name: "i%d" data_type: TYPE_FP32 dims: 1 } `),
		"warm-up":                 strings.Repeat(`model_warmup { name: "a" inputs { key: "x" value { dims: 1 } } } `, n),
		"priorities":              "dynamic_batching { priority_levels: 5 " + each(n, "priority_queue_policy { key: %d value {} } ") + "}",
		"controls":                "sequence_batching { " + each(n, `control_input { name: "c%d" control { int32_false_true: [ 0, 1 ] } } `) + "}",
		"steps": `platform: "ensemble" ensemble_scheduling { ` + each(n/8, `step { model_name: "m" model_version: -1
			input_map { key: "a" value: "t%d" } output_map { key: "b" value: "u%[1]d" } } `) + "}",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			decoded, _ := modelconfig.Parse("config.pbtxt", []byte(config))
			m := &check.Model{Name: "m", Decoded: decoded, Effective: decoded.Config, Facts: derive.Facts{ModelName: "m"}}
			list := check.Check(m, nil)
			// Well under a second each; the bound only has to catch what is not linear.
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			if len(list) > 300 {
				t.Errorf("%d diagnostics; nobody reads so many", len(list))
			}
		})
	}
}

func each(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}
