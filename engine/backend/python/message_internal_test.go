package python

import (
	"math"
	"testing"
)

// A float is a float in Python, also a whole one, and one that JSON does not have.
func TestParametersForPython(t *testing.T) {
	got := writeParameters(map[string]any{
		"a": 1000.0, "b": int64(1000), "c": 0.5, "d": 1e300, "e": math.NaN(), "f": math.Inf(-1), "g": "\"<x>&\"", "h": true, "i": -3.0,
	})
	want := `{"a":1000.0,"b":1000,"c":0.5,"d":1e+300,"e":NaN,"f":-Infinity,"g":"\"<x>&\"","h":true,"i":-3.0}`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Parameters of a process are what clients can get, and nothing else.
func TestParametersOfAProcess(t *testing.T) {
	if got, err := readParameters(`{"a":1,"b":true,"d":"x"}`); err != nil || len(got) != 3 {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{`{"a":null}`, `{"a":[1]}`, `{"a":{}}`, `{"a":0.5}`, `{"a":1208925819614629174706176}`, `[]`} {
		if got, err := readParameters(text); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}
