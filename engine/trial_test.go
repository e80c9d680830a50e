package engine_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/metrics"
)

// numbers are all that an engine tells of the requests to its models.
type numbers struct {
	statistics []kserve.Statistics
	page       []kserve.ModelMetrics
	sums       []metrics.Sum
}

func numbersOf(t *testing.T, e *engine.Engine) numbers {
	t.Helper()
	list, err := e.Statistics("", infer.Latest)
	if err != nil {
		t.Fatal(err)
	}
	return numbers{list, e.ModelMetrics(), e.Sums()}
}

// A trial is answered as a client's request is, and no number shows it: neither one that succeeds nor one that fails, and neither
// the steps of an ensemble nor the calls of other models that it makes.
func TestTrialsAreNotCounted(t *testing.T) {
	breaks := &fake.Backend{As: "breaks", OnExecute: func(_ context.Context, _ backend.Spec, b *backend.Batch) { b.FailAll(errors.New("it breaks")) }}
	answers := map[string]bool{"calls": true, "plain": true, "flow": true, "lost": false, "broken": false}
	for _, scheduling := range []string{"", "dynamic_batching {}"} {
		dir := controltest.New(t, 1)
		for name, text := range map[string]string{"calls": "calls plain", "plain": "end", "lost": "calls nobody"} {
			dir.Write(t, name+"/config.pbtxt", config+scheduling)
			dir.Write(t, name+"/1/model.fake", text)
		}
		dir.Write(t, "broken/config.pbtxt", strings.Replace(config, "fake", "breaks", 1)+scheduling)
		dir.Write(t, "broken/1/model.fake", "end")
		dir.Write(t, "flow/config.pbtxt", strings.Replace(config, `backend: "fake" default_model_filename: "model.fake"`, `platform: "ensemble"`, 1)+`
			ensemble_scheduling { step [{ model_name: "calls" model_version: -1 input_map { key: "IN" value: "IN" } output_map { key: "OUT" value: "OUT" } }] }`)
		dir.Write(t, "flow/1/empty", "")
		dir.Look()
		e := runs(t, engine.New(engine.Options{
			Options:  control.Options{Models: dir, Mode: control.Explicit, LoadModels: []string{"*"}},
			Backends: []backend.Backend{&fake.Backend{}, breaks},
		}))
		for name, answered := range answers {
			for _, trial := range []bool{true, false} {
				before := numbersOf(t, e)
				r := request(name, 2)
				r.Trial = trial
				if err := e.Infer(t.Context(), r, ignore); (err == nil) != answered {
					t.Fatalf("%s: %v", name, err)
				}
				if same := reflect.DeepEqual(numbersOf(t, e), before); same != trial {
					t.Errorf("%q, %s, a trial %v: all numbers stay: %v", scheduling, name, trial, same)
				}
			}
		}
		if list, _ := called(t, e, "calls"); len(list) != 1 || list[0].Count != 2 {
			t.Errorf("%q: the calls of clients' requests are %+v", scheduling, list)
		}
	}
}
