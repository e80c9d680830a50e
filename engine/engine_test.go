package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/tensor"
)

const config = "backend: \"fake\" default_model_filename: \"model.fake\" max_batch_size: 4\n" +
	"input [{ name: \"IN\" data_type: TYPE_FP32 dims: [2] }]\noutput [{ name: \"OUT\" data_type: TYPE_FP32 dims: [2] }]\n"

// start runs an engine over models of the fake backend until the test ends.
func start(t testing.TB, b backend.Backend, models map[string]string) *engine.Engine {
	t.Helper()
	dir := controltest.New(t, 1)
	for name, text := range models {
		dir.Write(t, name+"/config.pbtxt", text)
		dir.Write(t, name+"/1/model.fake", "one")
	}
	dir.Look()
	e := engine.New(engine.Options{
		Options:  control.Options{Models: dir, Mode: control.Explicit, LoadModels: []string{"*"}},
		Backends: []backend.Backend{b},
	})
	return runs(t, e)
}

// runs runs an engine until the test ends.
func runs(t testing.TB, e *engine.Engine) *engine.Engine {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	<-e.Started()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return e
}

func request(model string, batch int64) *infer.Request {
	return &infer.Request{ID: "7", Model: model, Version: infer.Latest, Inputs: []tensor.Tensor{
		{Name: "IN", Type: tensor.FP32, Shape: tensor.Shape{batch, 2}, Data: make([]byte, 8*batch)},
	}}
}

func ignore(*infer.Response) error { return nil }

func TestDescriptions(t *testing.T) {
	e := start(t, &fake.Backend{}, map[string]string{"m": config})
	if !e.Live() || !e.Ready(t.Context()) {
		t.Errorf("live %v, ready %v", e.Live(), e.Ready(t.Context()))
	}
	m, err := e.Metadata("m", infer.Latest)
	if err != nil || fmt.Sprint(*m) != "{m [1] fake [{IN FP32 [-1 2]}] [{OUT FP32 [-1 2]}]}" {
		t.Errorf("metadata = %v, %v", *m, err)
	}
	if _, err := e.Metadata("m", 3); infer.CodeOf(err) != infer.NotFound || err.Error() != "Request for unknown model: 'm' version 3 is not found" {
		t.Errorf("metadata of an unknown version: %v", err)
	}
	if ready, err := e.ModelReady(t.Context(), "nobody", infer.Latest); ready || err != nil {
		t.Errorf("an unknown model is ready: %v, %v", ready, err)
	}
	cfg, err := e.Config("m", 1)
	if err != nil || cfg.InstanceGroup[0].Name != "m" || cfg.VersionPolicy.GetLatest().GetNumVersions() != 1 {
		t.Errorf("config = %v, %v; want it completed", cfg, err)
	}
	if rows := e.Index(true); fmt.Sprint(rows) != "[{m 1 READY }]" {
		t.Errorf("index = %v", rows)
	}
}

// Counters have Triton's meaning (docs/triton/metrics.md, "What counts as what").
func TestStatistics(t *testing.T) {
	b := &fake.Backend{}
	e := start(t, b, map[string]string{"m": config})
	for _, batch := range []int64{1, 3, 3} {
		if err := e.Infer(t.Context(), request("m", batch), ignore); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Infer(t.Context(), request("m", 9), ignore); err == nil {
		t.Error("a batch that is too large was answered")
	}
	list, err := e.Statistics("m", infer.Latest)
	if err != nil || len(list) != 1 {
		t.Fatalf("statistics = %v, %v", list, err)
	}
	s := list[0]
	if s.Success.Count != 3 || s.Fail.Count != 0 || s.InferenceCount != 7 || s.ExecutionCount != 3 || s.LastInference == 0 {
		t.Errorf("counts = %+v", s)
	}
	if len(s.Batches) != 2 || s.Batches[1].Size != 3 || s.Batches[1].ComputeInfer.Count != 2 {
		t.Errorf("batches = %+v", s.Batches)
	}
	if s.Queue.Count != 3 || s.ComputeInput.Count != 3 || s.ComputeOutput.Count != 3 {
		t.Errorf("stages are not counted together: %+v", s)
	}
	for _, version := range []int64{infer.Latest, 0, 1} {
		if _, err := e.Statistics("nobody", version); infer.CodeOf(err) != infer.InvalidArg || err.Error() != "requested model 'nobody' is not available" {
			t.Errorf("statistics of nobody, version %d: %v", version, err)
		}
	}
	for _, version := range []int64{0, 5} {
		if _, err := e.Statistics("m", version); err == nil || err.Error() != "requested model version is not available for model 'm'" {
			t.Errorf("statistics of version %d: %v", version, err)
		}
	}
}

// A reload resets the statistics; the metrics page goes on counting (K 36).
func TestReloadAndNumbers(t *testing.T) {
	e := start(t, &fake.Backend{}, map[string]string{"m": config})
	if err := e.Infer(t.Context(), request("m", 1), ignore); err != nil {
		t.Fatal(err)
	}
	if err := e.Load(t.Context(), "m", kserve.LoadOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	list, err := e.Statistics("m", infer.Latest)
	if err != nil || list[0].Success.Count != 0 {
		t.Errorf("statistics after a reload = %+v, %v; want zeros", list, err)
	}
	if page := e.ModelMetrics(); len(page) != 1 || page[0].Success.Count != 1 || page[0].Load == 0 {
		t.Errorf("metrics after a reload = %+v, want one request", page)
	}
}

func TestResponse(t *testing.T) {
	e := start(t, &fake.Backend{}, map[string]string{"m": config})
	r := request("m", 2)
	r.Trace = &infer.Trace{Tensors: true}
	err := e.Infer(t.Context(), r, func(resp *infer.Response) error {
		if resp.ID != "7" || resp.Model != "m" || resp.Version != 1 || !resp.Final || resp.Timings.Total <= 0 {
			t.Errorf("response = %+v", resp)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	traced := r.Trace
	if traced.Model != "m" || traced.RequestID != "7" || traced.Queued.Before(traced.Received) || traced.Ended.Before(traced.Queued) {
		t.Errorf("trace = %+v", traced)
	}
	if len(traced.Executions) != 1 || traced.Executions[0].Instance != "m_0" || traced.Executions[0].Items != 2 ||
		traced.Executions[0].Start.Before(traced.Queued) || fmt.Sprint(traced.Executions[0].Requests) != "[7]" {
		t.Errorf("executions = %+v", traced.Executions)
	}
	if len(traced.Inputs) != 1 || len(traced.Inputs[0].Data) != 16 || len(traced.Responses) != 1 || traced.Responses[0].Outputs[0].Name != "OUT" {
		t.Errorf("tensors = %+v, %+v", traced.Inputs, traced.Responses)
	}
}

func TestClassesOfAnEnsembleHaveTheLabelsOfTheStep(t *testing.T) {
	const ensemble = `platform: "ensemble" max_batch_size: 4
input [{ name: "X" data_type: TYPE_FP32 dims: [2] }]
output [{ name: "Y" data_type: TYPE_FP32 dims: [2] }]
ensemble_scheduling { step [{ model_name: "m" model_version: -1 input_map { key: "IN" value: "X" } output_map { key: "OUT" value: "Y" } }] }`
	dir := controltest.New(t, 1)
	dir.Write(t, "m/l", "cat\ndog\n")
	dir.Write(t, "m/config.pbtxt", strings.Replace(config, "name: \"OUT\"", "name: \"OUT\" label_filename: \"l\"", 1))
	dir.Write(t, "m/1/model.fake", "one")
	dir.Write(t, "e/config.pbtxt", ensemble)
	dir.Write(t, "e/1/", "")
	dir.Look()
	e := engine.New(engine.Options{Options: control.Options{Models: dir, Mode: control.None}, Backends: []backend.Backend{&fake.Backend{}}})
	runs(t, e)
	r := request("e", 1)
	r.Inputs[0].Name = "X"
	r.Outputs = []infer.RequestedOutput{{Name: "Y", Classes: 1}}
	err := e.Infer(t.Context(), r, func(resp *infer.Response) error {
		if got := string(resp.Outputs[0].Data[4:]); got != "0.000000:0:cat" {
			t.Errorf("class = %q", got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// BenchmarkInfer measures what the engine adds to a backend that does nothing.
func BenchmarkInfer(b *testing.B) {
	respond := func(_ context.Context, _ backend.Spec, batch *backend.Batch) {
		for i := range batch.Requests {
			batch.Respond(i, &infer.Response{Final: true})
		}
	}
	for name, extra := range map[string]string{"direct": "", "dynamic": "dynamic_batching {}"} {
		e := start(b, &fake.Backend{OnExecute: respond}, map[string]string{"m": config + extra})
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r := request("m", 1)
			for b.Loop() {
				if err := e.Infer(b.Context(), r, ignore); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+" 8 clients", func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				r := request("m", 1)
				for pb.Next() {
					if err := e.Infer(b.Context(), r, ignore); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
