//go:build unix

package convert_test

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"conch/engine/convert"
)

// Values in the middle of a model that FP16 cannot hold are told, since the answers of a processor do not show them. NaN is told, too.
func TestValuesInTheMiddle(t *testing.T) {
	x := rows(1, 64)
	fill := func(value float32) {
		for at := 0; at < len(x[0][0].Raw); at += 4 {
			binary.LittleEndian.PutUint32(x[0][0].Raw[at:], math.Float32bits(value))
		}
	}
	const told = "FP16 ends at 65504, and on these requests larger values come in 'e' (4.852e+08). A GPU gets infinity there. " +
		"The answers that are compared here do not show it, since a processor computes FP16 in FP32."
	fill(20)
	_, r, _, err := run(t, convert.Job{Target: convert.FP16, Model: makeModel(t, "middle"), Requests: x})
	if err != nil || strings.Join(r.Notes, "\n") != told+" What can help: keep Div, Exp in FP32." {
		t.Errorf("%+v, %v", r, err)
	}
	// What Exp gives becomes FP16 where the next node takes it, so that one has to be kept, too. What is advised helps.
	_, r, _, err = run(t, convert.Job{Target: convert.FP16, Model: makeModel(t, "middle"), Requests: x, Keep: []string{"Exp"}})
	if err != nil || !slices.Contains(r.Notes, told+" What can help: keep Div, Exp in FP32.") {
		t.Errorf("%+v, %v", r, err)
	}
	_, r, _, err = run(t, convert.Job{Target: convert.FP16, Model: makeModel(t, "middle"), Requests: x, Keep: []string{"Exp", "Div"}})
	if err != nil || strings.Contains(strings.Join(r.Notes, "\n"), "FP16 ends") {
		t.Errorf("%+v, %v", r, err)
	}
	fill(2)
	_, r, _, err = run(t, convert.Job{Target: convert.FP16, Model: makeModel(t, "middle"), Requests: x})
	if err != nil || len(r.Notes) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	_, r, _, err = run(t, convert.Job{Target: convert.FP16, Model: makeModel(t, "nan"), Requests: x})
	if err != nil || !slices.Contains(r.Notes, "Weights in 'w' hold NaN, in the FP32 model already.") {
		t.Errorf("%+v, %v", r, err)
	}
}

// Operators in branches and loops stay in FP32, too, also where they meet.
func TestKeptInside(t *testing.T) {
	for _, keep := range [][]string{{"Tanh"}, {"Exp", "Log"}, {"Tanh", "Exp", "Neg"}, {"Log", "Identity"}} {
		_, r, _, err := run(t, convert.Job{Target: convert.FP16, Model: makeModel(t, "inside"), Requests: rows(2, 64), Keep: keep})
		if err != nil || len(r.Outputs) != 1 || r.Outputs[0].Difference.Elements != 512 || !strings.Contains(strings.Join(r.Notes, "\n"), "1 "+keep[0]) ||
			!strings.Contains(strings.Join(r.Notes, "\n"), "was not tried within branches and loops") {
			t.Errorf("%q: %+v, %v", keep, r, err)
		}
	}
}

// Weights that FP16 cannot hold are told to be cut, but not those of operators that stay in FP32.
func TestWeightsThatStayWhole(t *testing.T) {
	for _, c := range []struct {
		keep []string
		cut  bool
	}{{nil, true}, {[]string{"MatMul"}, false}} {
		_, r, _, err := run(t, convert.Job{Target: convert.FP16, Model: makeModel(t, "large"), Keep: c.keep})
		if err != nil || strings.Contains(strings.Join(r.Notes, "\n"), "were cut to that") != c.cut {
			t.Errorf("kept %q: %q, %v", c.keep, r.Notes, err)
		}
	}
}

// Functions that a model file defines are turned to FP16 with what calls them.
func TestFunctionsOfAModel(t *testing.T) {
	x := rows(2, 64)
	_, r, steps, err := run(t, convert.Job{Target: convert.FP16, Model: makeModel(t, "function"), Requests: x})
	if err != nil || len(r.Notes) > 0 || r.Outputs[0].Difference.Elements != 512 {
		t.Errorf("%+v, %v\n%s", r, err, strings.Join(steps, "\n"))
	}
	_, r, _, err = run(t, convert.Job{Target: convert.FP16, Model: makeModel(t, "function"), Requests: x, Keep: []string{"Mul"}})
	if err != nil || !strings.Contains(strings.Join(r.Notes, "\n"), "As you asked, these operators stay in FP32: 1 Mul.") {
		t.Errorf("%+v, %v", r, err)
	}
}
