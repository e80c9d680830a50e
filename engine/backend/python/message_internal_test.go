package python

import (
	"math"
	"testing"
)

// A float is a float in Python, also a whole one, and one that JSON does not have.
func TestParametersForPython(t *testing.T) {
	got := writeParameters(map[string]any{
		"a": 1000.0, "b": int64(1000), "c": 0.5, "d": 1e300, "e": math.NaN(), "f": math.Inf(-1), "g": "\"x\"", "h": true, "i": -3.0,
	})
	want := `{"a":1000.0,"b":1000,"c":0.5,"d":1e+300,"e":NaN,"f":-Infinity,"g":"\"x\"","h":true,"i":-3.0}`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
