package sampler_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"conch/app/sampler"
	"conch/app/store"
	"conch/engine/kserve/enginepb"
)

func answer(second int, generation, success uint64) *enginepb.SampleResponse {
	return &enginepb.SampleResponse{TimeMs: int64(second) * 1000, CpuNs: uint64(second) * 5e8, ResidentBytes: 7, Models: []*enginepb.ModelSample{{
		Name: "m", Version: 1, Generation: generation, Success: success, Executions: success, InferNs: success * 1000,
		Latency: &enginepb.Histogram{Index: []uint32{160}, Count: []uint64{success}},
	}}}
}

func TestDiffer(t *testing.T) {
	d := sampler.New(time.Unix(-1, 0))
	for i, step := range []struct {
		generation, success, want uint64
	}{
		{1, 100, 100},
		{1, 103, 3},
		{1, 103, 0},
		{2, 2, 2}, // counters began again
		{2, 1, 1}, // counters went back in the same generation
	} {
		got := d.Next(answer(i, step.generation, step.success))
		if n := got.Models["m"].Requests; n != step.want {
			t.Errorf("step %d: %d requests, want %d", i, n, step.want)
		}
		if got.Covered != time.Second || i > 0 && got.CPU != 500*time.Millisecond {
			t.Errorf("step %d: covered %v, CPU %v", i, got.Covered, got.CPU)
		}
	}
}

// What a driver does not tell is unknown. Of one that hangs nothing is kept: its last answer is no measurement.
func TestGPUs(t *testing.T) {
	d := sampler.New(time.Unix(-1, 0))
	gpu := &enginepb.Gpu{Index: 1, Uuid: "GPU-a", Name: "A100", TotalBytes: 40, UsedBytes: 4, Utilization: 0, PowerWatts: -1, MaxPowerWatts: 400, Temperature: 41}
	sample := d.Next(&enginepb.SampleResponse{Gpus: []*enginepb.Gpu{gpu}})
	if len(sample.GPUs) != 1 || sample.GPUs[0].GPU != (store.GPU{Index: 1, UUID: "GPU-a", Name: "A100"}) {
		t.Fatalf("%+v", sample.GPUs)
	}
	if g := sample.GPUs[0]; g.Total != 40 || g.Used != 4 || g.Utilization != 0 || !math.IsNaN(g.Power) || g.Temperature != 41 || g.Limit != 400 {
		t.Errorf("%+v", g)
	}
	if !math.IsNaN(sample.GPUs[0].Energy) {
		t.Errorf("nothing counts its energy, and it used %v J", sample.GPUs[0].Energy)
	}
	if sample = d.Next(&enginepb.SampleResponse{Gpus: []*enginepb.Gpu{gpu}, GpuTrouble: "the driver does not answer"}); len(sample.GPUs) > 0 {
		t.Errorf("of a driver that hangs: %+v", sample.GPUs)
	}
}

func TestWindowFadesOut(t *testing.T) {
	var w sampler.Window
	at := time.Unix(1000, 0)
	sample := func(n uint64) store.Sample {
		return store.Sample{Time: at, Models: map[string]store.Counters{"m": {Requests: n, Failures: n / 5}}}
	}
	if got := w.Add(sample(10))["m"]; got != 12.0/5 {
		t.Errorf("at once: %v", got)
	}
	at = at.Add(6 * time.Second)
	if got, changed := w.Add(sample(0))["m"]; !changed || got != 0 {
		t.Errorf("after 6 s: %v, changed %v", got, changed)
	}
	if changed := w.Add(sample(0)); len(changed) != 0 {
		t.Errorf("nothing happened, but %v", changed)
	}
}

// TestStepsAreNoRequestsOfClients: two requests to an ensemble of two models are two requests of
// clients, and four requests to the models.
func TestStepsAreNoRequestsOfClients(t *testing.T) {
	counted := func(name string, all, clients uint64) *enginepb.ModelSample {
		return &enginepb.ModelSample{Name: name, Version: 1, Generation: 1, Success: all, Failure: 1, Clients: &enginepb.ClientSample{
			Success: clients, Latency: &enginepb.Histogram{Index: []uint32{160}, Count: []uint64{clients}},
		}}
	}
	d, w := sampler.New(time.Unix(-1, 0)), sampler.Window{}
	sample := d.Next(&enginepb.SampleResponse{TimeMs: 0, Models: []*enginepb.ModelSample{counted("ensemble", 2, 2), counted("a", 2, 0), counted("b", 2, 0)}})
	if c := sample.Clients; c.Requests != 2 || c.Failures != 0 || c.Latency.Total() != 2 || sample.Models["a"].Requests != 2 || sample.Models["a"].Failures != 1 {
		t.Errorf("clients %+v, models %+v", c, sample.Models)
	}
	w.Add(sample)
	if got := w.PerSecond(); got != 2.0/5 {
		t.Errorf("%v requests a second", got)
	}
	sample = d.Next(&enginepb.SampleResponse{TimeMs: 5000, Models: []*enginepb.ModelSample{counted("ensemble", 3, 3), counted("a", 3, 0), counted("b", 3, 0)}})
	if w.Add(sample); w.PerSecond() != 1.0/5 {
		t.Errorf("five seconds later %v requests a second", w.PerSecond())
	}
}

func TestBusyModelsAreThoseOfTheLastSeconds(t *testing.T) {
	var b sampler.Busy
	begin := time.Unix(1000, 0)
	b.Add(store.Sample{Time: begin, Models: map[string]store.Counters{"a": {Requests: 1}, "idle": {}}})
	b.Add(store.Sample{Time: begin.Add(8 * time.Second), Models: map[string]store.Counters{"b": {Failures: 1}}})
	if got := b.Due(nil); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("busy are %v", got)
	}
	b.Add(store.Sample{Time: begin.Add(11 * time.Second)})
	if got := b.Due(nil); !slices.Equal(got, []string{"b"}) {
		t.Errorf("three seconds later busy are %v", got)
	}
}

// The memory of a model at rest may change as well, so each has its turn: one a second.
func TestModelsAtRestHaveTheirTurn(t *testing.T) {
	var b sampler.Busy
	b.Add(store.Sample{Time: time.Unix(1000, 0), Models: map[string]store.Counters{"b": {Requests: 1}}})
	for i, step := range []struct{ loaded, want []string }{
		{[]string{"c", "a", "b"}, []string{"a", "b"}},
		{[]string{"b", "a", "c"}, []string{"b"}},
		{[]string{"c", "a", "b"}, []string{"b", "c"}},
		{[]string{"c", "a", "b"}, []string{"a", "b"}},
		{[]string{"aa", "c"}, []string{"aa", "b"}},
		{nil, []string{"b"}},
	} {
		if got := b.Due(step.loaded); !slices.Equal(got, step.want) {
			t.Errorf("second %d: %v, not %v", i, got, step.want)
		}
	}
}

// What a GPU used is what its count grew by. Where the count begins, or begins again, that is not known.
func TestEnergy(t *testing.T) {
	d := sampler.New(time.Unix(-1, 0))
	for i, step := range []struct{ told, want float64 }{
		{1000, math.NaN()}, {1060, 60}, {1060, 0}, {-1, math.NaN()}, {1200, math.NaN()}, {1300, 100}, {40, math.NaN()}, {90, 50},
	} {
		sample := d.Next(&enginepb.SampleResponse{
			TimeMs: int64(i) * 1000, Gpus: []*enginepb.Gpu{{Uuid: "GPU-b"}, {Uuid: "GPU-a"}}, GpuEnergy: []float64{7, step.told},
		})
		if got := sample.GPUs[1].Energy; got != step.want && !(math.IsNaN(got) && math.IsNaN(step.want)) {
			t.Errorf("step %d: %v J, want %v", i, got, step.want)
		}
	}
}

// TestEnergyOfSeldomAnswers: what a GPU used is kept where its count was read more often than the counters of models, and where it could
// not be read for a time.
func TestEnergyOfSeldomAnswers(t *testing.T) {
	d := sampler.New(time.Unix(0, 0))
	total := 0.0
	for _, step := range []struct {
		second int64
		told   float64 // 0: no GPU is told
	}{{1, 1000}, {1, 1010}, {1, 1020}, {2, 1030}, {3, 0}, {4, 0}, {5, 1060}} {
		answer := &enginepb.SampleResponse{TimeMs: step.second * 1000}
		if step.told > 0 {
			answer.Gpus, answer.GpuEnergy = []*enginepb.Gpu{{Uuid: "GPU-a"}}, []float64{step.told}
		}
		if sample := d.Next(answer); sample.Covered > 0 && len(sample.GPUs) > 0 && sample.GPUs[0].Energy > 0 {
			total += sample.GPUs[0].Energy
		}
	}
	if total != 60 {
		t.Errorf("the seconds that are kept have %v J, want 60", total)
	}
}
