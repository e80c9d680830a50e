package tracing_test

import (
	"path/filepath"
	"testing"

	"conch/engine/kserve/tracing"
)

// A change that leaves a level and no traces to take is refused; a count that a model has used up is nobody else's matter, and
// the model may go back to the settings of all.
func TestCountsThatAreUsedUp(t *testing.T) {
	tracer := tracing.New(tracing.Setting{Rate: 1, Count: -1, File: filepath.Join(t.TempDir(), "t")}, discard, always)
	defer tracer.Close()
	change := func(model, refusal string, keysAndValues ...string) {
		t.Helper()
		_, err := tracer.Update(model, set(t, keysAndValues...))
		if err == nil && refusal != "" || err != nil && err.Error() != refusal {
			t.Errorf("%q %v: %v, want %q", model, keysAndValues, err, refusal)
		}
	}
	const refused = "Attempting to set invalid trace setting :"
	change("", refused, "trace_level", "TIMESTAMPS", "trace_count", "0")
	change("e", "", "trace_level", "TIMESTAMPS", "trace_count", "1")
	for range 2 {
		run(t, tracer, "1")
	}
	if s := tracer.Get("e"); s.Count != 0 {
		t.Fatalf("the count is not used up: %+v", s)
	}
	change("e", refused, "trace_rate", "7")
	change("", "", "trace_level", "TIMESTAMPS", "trace_rate", "5", "trace_count", "1")
	if s := tracer.Get(""); s.Rate != 5 {
		t.Errorf("the settings of all are %+v", s)
	}
	change("", "", "trace_rate", "1")
	change("e", "", "trace_count", "null", "trace_level", "null")
	run(t, tracer, "2") // uses up the count of all
	change("e", refused, "trace_rate", "7")
	change("e", "", "trace_rate", "null")
	change("e", "", "trace_level", "OFF")
	change("e", "", "trace_level", "null")
	change("e", "", "trace_count", "3")
}
