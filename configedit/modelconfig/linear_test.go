package modelconfig_test

import (
	"strings"
	"testing"
	"time"

	"conch/configedit/modelconfig"
)

// TestLinear feeds much of what a careless decoder would take quadratic time
// for: many mistakes, all on one line.
func TestLinear(t *testing.T) {
	const size = 1 << 18
	for _, unit := range []string{
		`a:1 `, `name:"x" `, `max_batch_size:"x" `, `input{a:1} `, `input{dims[`, `name `, `dims: `, `input{dims:[1,]} `,
		`metric_tags{key:"a" value:"b"} `, `metric_tags{key:"a" key:"b"} `, `parameters{key:"a" value:"b"} `, `[a.b]:1 `,
		`optimization{} all{} `, `platform="x" `, "//", "08 ", `ensemble_scheduling{step{`,
	} {
		src := []byte(strings.Repeat(unit, size/len(unit)))
		start := time.Now()
		modelconfig.Parse("config.pbtxt", src)
		// Around 0.1 s each; the bound only has to catch what is not linear.
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%q: took %v", unit, took)
		}
	}
}
