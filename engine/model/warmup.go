package model

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"conch/configedit/diag"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/infer"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// warmUp runs the config's samples on a new instance, which nobody else uses yet. Statistics and metrics count the
// runs like requests, apart from those of users; one that fails makes the load fail
// (docs/triton/loading.md, "Warm-up").
func (v *Version) warmUp(ctx context.Context, in *instance, told *progress) error {
	if len(v.Config.ModelWarmup) == 0 {
		return nil
	}
	in.counters = v.counters.WarmUp()
	defer func() { in.counters = v.counters }()
	samples := v.Config.ModelWarmup
	for i, sample := range samples {
		if sample.BatchSize == 0 {
			continue
		}
		runs := max(sample.Count, 1)
		phase := "warming up"
		if len(samples) > 1 {
			phase = fmt.Sprintf("warming up, sample %d of %d", i+1, len(samples))
		}
		told.now("%s", phase)
		for run := range runs {
			if run > 0 {
				told.step("%s, run %v of %v", phase, diag.Number(run+1), diag.Number(runs))
			}
			if err := v.wanted(ctx); err != nil {
				return err
			}
			if err := v.runSample(ctx, in, sample); err != nil {
				return err
			}
		}
	}
	return nil
}

// runSample runs batch_size requests of one item each as one batch, as Triton does.
func (v *Version) runSample(ctx context.Context, in *instance, sample *modelconfig.ModelWarmup) error {
	if err := v.checkSample(sample); err != nil {
		return err
	}
	var calls []*sched.Call
	took, counted := make([]infer.Timings, sample.BatchSize), make([]bool, sample.BatchSize)
	for i := range sample.BatchSize {
		r, err := v.sampleRequest(sample)
		if err != nil {
			return err
		}
		calls = append(calls, sched.NewCall(ctx, r, func(response *infer.Response) error {
			took[i], counted[i] = response.Timings, response.Late
			return nil
		}))
	}
	began := time.Now()
	in.Execute(ctx, calls)
	whole := time.Since(began)
	var faults []string
	for i, c := range calls {
		if err := c.End(); err != nil {
			faults = append(faults, err.Error()+"; ")
			continue
		}
		if counted[i] {
			continue
		}
		took[i].Total = whole
		in.counters.Succeeded(c.Request.Batch, took[i])
	}
	if len(faults) > 0 {
		return infer.Errorf(infer.Internal, "failed to run warmup sample '%s': %s", sample.Name, strings.Join(faults, ""))
	}
	return nil
}

// checkSample refuses a batch that no backend may be given; Triton hands it on, and crashes in ONNX Runtime.
func (v *Version) checkSample(sample *modelconfig.ModelWarmup) error {
	if limit := max(v.contract.maxBatch, 1); int64(sample.BatchSize) > limit {
		return infer.Errorf(infer.InvalidArg, "failed to run warmup sample '%s': batch size %d for '%s', max allowed is %d; ",
			sample.Name, sample.BatchSize, v.Name, v.contract.maxBatch)
	}
	whole := int64(0)
	for _, in := range sample.Inputs {
		size, _ := zeroBytes(in.Dims, tensor.DataType(in.DataType)) // one that is too large is refused with its name
		whole += size
	}
	if whole > maxSampleBytes/max(int64(sample.BatchSize), 1) {
		return infer.Errorf(infer.InvalidArg, "failed to run warmup sample '%s': its batch of %d takes more than %d bytes; ",
			sample.Name, sample.BatchSize, maxSampleBytes)
	}
	return nil
}

// sampleRequest makes a request that the backend can be given. An input that the config does not
// have is a control of a sequence, or a mistake that the backend finds (docs/triton/loading.md,
// "Warm-up").
func (v *Version) sampleRequest(sample *modelconfig.ModelWarmup) (*infer.Request, error) {
	r := &infer.Request{Model: v.Name, Version: v.Number}
	var extra []tensor.Tensor
	for _, name := range slices.Sorted(maps.Keys(sample.Inputs)) {
		t, err := v.sampleInput(name, sample.Inputs[name])
		if err != nil {
			return nil, err
		}
		if _, declared := v.contract.byInput[name]; declared {
			r.Inputs = append(r.Inputs, t)
		} else {
			extra = append(extra, t)
		}
	}
	if err := v.contract.check(r); err != nil {
		return nil, err
	}
	r = v.contract.reshapeInputs(r)
	if v.sequence != nil {
		return v.sequence.sample(sample.Name, r, extra)
	}
	r.Inputs = append(r.Inputs, extra...)
	return r, nil
}

// sample gives a request the states of a sequence's start. Its controls are the sample's to give: Triton adds none, and
// its ONNX Runtime backend crashes without.
func (w *sequenceWiring) sample(name string, r *infer.Request, extra []tensor.Tensor) (*infer.Request, error) {
	wired := w.Wire(r, nil)
	for i := range w.controls {
		if !slices.ContainsFunc(extra, func(t tensor.Tensor) bool { return t.Name == w.controls[i].name }) {
			return nil, infer.Errorf(infer.InvalidArg, "failed to run warmup sample '%s': it has no tensor for the sequence control '%s'; ", name, w.controls[i].name)
		}
	}
	for _, t := range extra {
		if known := wired.Input(t.Name); known != nil {
			*known = t
		} else {
			wired.Inputs = append(wired.Inputs, t)
		}
	}
	return wired, nil
}

func (v *Version) sampleInput(name string, in *modelconfig.ModelWarmup_Input) (tensor.Tensor, error) {
	t := tensor.Tensor{Name: name, Type: tensor.DataType(in.DataType), Shape: append(tensor.Shape{}, in.Dims...)}
	size, ok := zeroBytes(t.Shape, t.Type) // of strings, empty ones, for random data too
	if !ok {
		return t, infer.Errorf(infer.InvalidArg, "warmup sample for input '%s' is too large: shape %s", name, t.Shape)
	}
	if v.contract.maxBatch > 0 {
		t.Shape = append(tensor.Shape{1}, t.Shape...)
	}
	var err error
	t.Data, err = v.sampleData(name, in, int(size))
	return t, err
}

// maxSampleBytes keeps a mistyped shape from taking all memory: a tensor of a config is no larger, nor are those of a
// warm-up sample's batch together.
const maxSampleBytes = 1 << 31

// zeroBytes is what a tensor takes in which nothing is said: zeros, and of strings empty ones. It is false for one that is too
// large.
func zeroBytes(shape tensor.Shape, t tensor.DataType) (int64, bool) {
	each := int64(t.Size())
	if t == tensor.Bytes {
		each = 4
	}
	elements, ok := shape.Elements()
	if !ok || elements > maxSampleBytes/max(each, 1) {
		return 0, false
	}
	return elements * each, true
}

func (v *Version) sampleData(name string, in *modelconfig.ModelWarmup_Input, size int) ([]byte, error) {
	switch source := in.InputDataType.(type) {
	case *modelconfig.ModelWarmup_Input_ZeroData:
		return make([]byte, size), nil
	case *modelconfig.ModelWarmup_Input_RandomData:
		data := make([]byte, size)
		if tensor.DataType(in.DataType) != tensor.Bytes {
			rand.Read(data) // never fails
		}
		if tensor.DataType(in.DataType) == tensor.Bool {
			for i := range data {
				data[i] &= 1
			}
		}
		return data, nil
	case *modelconfig.ModelWarmup_Input_InputDataFile:
		return v.sampleFile(source.InputDataFile, in, size)
	}
	return nil, infer.Refused(rule.WU2, name)
}

func (v *Version) sampleFile(file string, in *modelconfig.ModelWarmup_Input, size int) ([]byte, error) {
	data, err := v.files.read(folder.Warmup, file)
	switch {
	case err != nil:
		return nil, err
	case tensor.DataType(in.DataType) == tensor.Bytes:
		return data, nil
	case len(data) < size:
		return nil, infer.Refused(rule.WU4, size, file, len(data))
	}
	return data[:size], nil
}
