package kservetest

import (
	"context"
	"slices"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/tensor"
)

// models are the identity models: each output is the input at the same place.
var models = map[string]*modelconfig.ModelConfig{
	"m": {
		Name: "m", Backend: "python", MaxBatchSize: 8,
		Input:  []*modelconfig.ModelInput{input("IN", tensor.Int32, 3)},
		Output: []*modelconfig.ModelOutput{output("OUT", tensor.Int32, 3)},
	},
	"two": {
		Name: "two", Backend: "python", MaxBatchSize: 8,
		Input:  []*modelconfig.ModelInput{input("IN", tensor.FP32, -1), input("INB", tensor.FP32, -1)},
		Output: []*modelconfig.ModelOutput{output("OUT", tensor.FP32, -1), output("OUTB", tensor.FP32, -1)},
	},
	"str": {
		Name: "str", Backend: "python",
		Input:  []*modelconfig.ModelInput{input("S", tensor.Bytes, -1)},
		Output: []*modelconfig.ModelOutput{output("T", tensor.Bytes, -1)},
	},
	"nb": {
		Name: "nb", Backend: "python",
		Input:  []*modelconfig.ModelInput{input("X", tensor.FP32, -1, 2)},
		Output: []*modelconfig.ModelOutput{output("Y", tensor.FP32, -1, 2)},
	},
	"all": everyType(),
	"stream": {
		Name: "stream", Backend: "python",
		Input:                  []*modelconfig.ModelInput{input("N", tensor.Int32, 1)},
		Output:                 []*modelconfig.ModelOutput{output("N", tensor.Int32, 1)},
		ModelTransactionPolicy: &modelconfig.ModelTransactionPolicy{Decoupled: true},
	},
	"seq": {
		Name: "seq", Backend: "python",
		Input:            []*modelconfig.ModelInput{input("IN", tensor.Int32, -1, 3)},
		Output:           []*modelconfig.ModelOutput{output("OUT", tensor.Int32, -1, 3)},
		SchedulingChoice: &modelconfig.ModelConfig_SequenceBatching{SequenceBatching: &modelconfig.ModelSequenceBatching{}},
	},
	"iterative": {
		Name: "iterative", Backend: "python",
		Input:            []*modelconfig.ModelInput{input("IN", tensor.Int32, -1, 3)},
		Output:           []*modelconfig.ModelOutput{output("OUT", tensor.Int32, -1, 3)},
		SchedulingChoice: &modelconfig.ModelConfig_SequenceBatching{SequenceBatching: &modelconfig.ModelSequenceBatching{IterativeSequence: true}},
	},
	"flow": {
		Name: "flow", Platform: "ensemble",
		Input:            []*modelconfig.ModelInput{input("IN", tensor.Int32, -1, 3)},
		Output:           []*modelconfig.ModelOutput{output("OUT", tensor.Int32, -1, 3)},
		SchedulingChoice: &modelconfig.ModelConfig_EnsembleScheduling{EnsembleScheduling: &modelconfig.ModelEnsembling{}},
	},
}

func input(name string, t tensor.DataType, dims ...int64) *modelconfig.ModelInput {
	return &modelconfig.ModelInput{Name: name, DataType: modelconfig.DataType(t), Dims: dims}
}

func output(name string, t tensor.DataType, dims ...int64) *modelconfig.ModelOutput {
	return &modelconfig.ModelOutput{Name: name, DataType: modelconfig.DataType(t), Dims: dims}
}

func everyType() *modelconfig.ModelConfig {
	cfg := &modelconfig.ModelConfig{Name: "all", Backend: "python"}
	for t := tensor.Bool; t <= tensor.BF16; t++ {
		if t == tensor.Bytes {
			continue
		}
		in := input("I_"+t.String(), t, -1)
		in.Optional = true
		cfg.Input = append(cfg.Input, in)
		cfg.Output = append(cfg.Output, output("O_"+t.String(), t, -1))
	}
	return cfg
}

// Identity serves models that answer with their inputs: "m", "two", "str", "nb", "all" and the decoupled "stream",
// which answers once for each number below its input. It checks almost nothing, because that is the engine's task. A
// request with the id "fail" fails as if the backend had refused it.
func Identity() *Service {
	return &Service{
		ModelReadyFunc: func(name string, version int64) (bool, error) {
			_, err := find(name, version)
			return err == nil, err
		},
		MetadataFunc:   metadata,
		ConfigFunc:     find,
		StatisticsFunc: statistics,
		IndexFunc:      index,
		LoadFunc:       load,
		InferFunc:      identity,
	}
}

// Refusing returns Identity with models that refuse all requests: one with the ID "early" before it is queued, one with the ID "full"
// because the queue has no room, and others after they have run.
func Refusing() *Service {
	svc := Identity()
	svc.InferFunc = func(_ context.Context, r *infer.Request, _ infer.Sink) error {
		r.Accepted = r.ID != "early"
		if r.ID == "full" {
			return &infer.Error{Code: infer.Unavailable, Message: "full", Fate: infer.TurnedAway}
		}
		return infer.Errorf(infer.InvalidArg, "no %s", r.ID)
	}
	return svc
}

func find(name string, version int64) (*modelconfig.ModelConfig, error) {
	cfg := models[name]
	switch {
	case cfg == nil:
		return nil, unknown(name)
	case version != infer.Latest && version != 1:
		return nil, infer.Errorf(infer.NotFound, "Request for unknown model: '%s' version %d is not found", name, version)
	}
	return cfg, nil
}

func metadata(name string, version int64) (*kserve.Metadata, error) {
	cfg, err := find(name, version)
	if err != nil {
		return nil, err
	}
	m := &kserve.Metadata{Name: name, Versions: []string{"1"}, Platform: cfg.Backend}
	for _, in := range cfg.Input {
		m.Inputs = append(m.Inputs, describe(cfg, in.Name, in.DataType, in.Dims))
	}
	for _, out := range cfg.Output {
		m.Outputs = append(m.Outputs, describe(cfg, out.Name, out.DataType, out.Dims))
	}
	return m, nil
}

func describe(cfg *modelconfig.ModelConfig, name string, t modelconfig.DataType, dims []int64) kserve.TensorMetadata {
	if cfg.MaxBatchSize > 0 {
		dims = append([]int64{-1}, dims...)
	}
	return kserve.TensorMetadata{Name: name, Datatype: tensor.DataType(t).String(), Shape: dims}
}

func statistics(name string, version int64) ([]kserve.Statistics, error) {
	if name == "" {
		return []kserve.Statistics{oneOf("m"), oneOf("two")}, nil
	}
	if models[name] == nil {
		return nil, infer.Errorf(infer.InvalidArg, "requested model '%s' is not available", name)
	}
	if version != infer.Latest && version != 1 {
		return nil, infer.Errorf(infer.InvalidArg, "requested model version is not available for model '%s'", name)
	}
	return []kserve.Statistics{oneOf(name)}, nil
}

// oneOf returns statistics with a different number in every field.
func oneOf(name string) kserve.Statistics {
	d := func(n uint64) kserve.Duration { return kserve.Duration{Count: n, Ns: n * 1000} }
	return kserve.Statistics{
		Name: name, Version: "1", LastInference: 1795261234567, InferenceCount: 7, ExecutionCount: 5,
		Success: d(1), Fail: d(2), Queue: d(3), ComputeInput: d(4), ComputeInfer: d(5), ComputeOutput: d(6),
		CacheHit: d(7), CacheMiss: d(8),
		Batches: []kserve.BatchStatistics{{Size: 1, ComputeInput: d(9), ComputeInfer: d(10), ComputeOutput: d(11)}},
	}
}

func index(readyOnly bool) []kserve.IndexEntry {
	entries := []kserve.IndexEntry{
		{Name: "m", Version: "1", State: "READY"},
		{Name: "never"},
		{Name: "str", Version: "1", State: "UNAVAILABLE", Reason: "unloaded"},
	}
	if readyOnly {
		return entries[:1]
	}
	return entries
}

func load(_ context.Context, name string, opts kserve.LoadOptions) error {
	if models[name] == nil || (len(opts.Files) > 0 && opts.Config == "") {
		return infer.Errorf(infer.Internal, "failed to load '%s', failed to poll from model repository", name)
	}
	return nil
}

func identity(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	cfg, err := find(r.Model, r.Version)
	if err != nil {
		return err
	}
	r.Accepted = true
	if r.ID == "fail" {
		return infer.Errorf(infer.Internal, "backend says no")
	}
	if cfg.GetModelTransactionPolicy().GetDecoupled() {
		return countDown(ctx, r, sink)
	}
	resp := echo(cfg, r)
	err = sink(resp)
	resp.Release()
	return err
}

func echo(cfg *modelconfig.ModelConfig, r *infer.Request) *infer.Response {
	resp := &infer.Response{ID: r.ID, Model: r.Model, Version: 1, Parameters: r.Parameters, Final: true}
	resp.Timings = infer.Timings{Queue: 1, Input: 2, Infer: 3, Output: 4, Total: 10 * time.Nanosecond}
	if r.Trace != nil {
		r.Trace.Begin("m", 1, r)
		step := r.Trace.Child(1)
		step.Begin("part", 2, &infer.Request{Received: r.Received.Add(5)})
		step.End(nil)
		r.Trace.Answered(resp)
		r.Trace.End(nil)
	}
	for i, in := range cfg.Input {
		sent := r.Input(in.Name)
		if sent == nil || !r.Wants(cfg.Output[i].Name) {
			continue
		}
		out := *sent
		out.Name = cfg.Output[i].Name
		// The backend's memory is not the request's, and is freed after the sink.
		out.Data = slices.Clone(out.Data)
		resp.Outputs = append(resp.Outputs, out)
	}
	resp.Release = func() {
		for i := range resp.Outputs {
			clear(resp.Outputs[i].Data)
		}
	}
	return resp
}

// countDown answers N-1, N-2, … 0, then an empty final response.
func countDown(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	in := r.Input("N")
	if in == nil || len(in.Data) != 4 {
		return infer.Errorf(infer.InvalidArg, "N must be one INT32")
	}
	if r.Trace != nil {
		r.Trace.Begin("stream", 1, r)
		defer r.Trace.End(nil)
	}
	for n := int(in.Data[0]) - 1; n >= 0 && ctx.Err() == nil; n-- {
		out := *in
		out.Data = []byte{byte(n), 0, 0, 0}
		if err := sink(&infer.Response{ID: r.ID, Model: r.Model, Version: 1, Outputs: []tensor.Tensor{out}}); err != nil {
			return err
		}
	}
	return sink(&infer.Response{ID: r.ID, Model: r.Model, Version: 1, Final: true})
}
