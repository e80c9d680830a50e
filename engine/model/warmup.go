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
	"conch/engine/metrics"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// warmup runs the samples of a config on new instances.
type warmup struct {
	model    string
	version  int64
	samples  []*modelconfig.ModelWarmup
	contract *contract
	sequence *sequenceWiring // nil without sequence batching
	files    files
	counters *metrics.Counters
}

func (v *Version) warmup() *warmup {
	return &warmup{v.Name, v.Number, v.Config.ModelWarmup, v.contract, v.sequence, v.files, v.counters}
}

// run runs the samples on an instance that nobody else uses yet. Statistics and metrics count the runs like requests, apart
// from those of users. When a run fails, the load fails (docs/triton/loading.md, "Warm-up").
func (w *warmup) run(ctx context.Context, in *instance, told *progress) error {
	if len(w.samples) == 0 {
		return nil
	}
	counters := w.counters.WarmUp()
	in.countIn(counters)
	defer in.countIn(w.counters)
	for i, sample := range w.samples {
		if sample.BatchSize == 0 {
			continue
		}
		runs := max(sample.Count, 1)
		phase := "warming up"
		if len(w.samples) > 1 {
			phase = fmt.Sprintf("warming up, sample %d of %d", i+1, len(w.samples))
		}
		told.now("%s", phase)
		for run := range runs {
			if run > 0 {
				told.step("%s, run %v of %v", phase, diag.Number(run+1), diag.Number(runs))
			}
			if err := stillWanted(ctx, w.model); err != nil {
				return err
			}
			if err := w.runSample(ctx, in, sample, counters); err != nil {
				return err
			}
		}
	}
	return nil
}

// runSample runs batch_size requests of one item each as one batch, as Triton does.
func (w *warmup) runSample(ctx context.Context, in *instance, sample *modelconfig.ModelWarmup, counters *metrics.Counters) error {
	if err := w.check(sample); err != nil {
		return err
	}
	var calls []*sched.Call
	took, counted := make([]infer.Timings, sample.BatchSize), make([]bool, sample.BatchSize)
	for i := range sample.BatchSize {
		r, err := w.request(sample)
		if err != nil {
			return err
		}
		calls = append(calls, sched.NewCall(ctx, r, func(response *infer.Response) error {
			took[i], counted[i] = response.Timings, response.Late
			return nil
		}))
	}
	began := time.Now()
	in.warmUp(ctx, calls)
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
		counters.On(in.gpu).Succeeded(c.Request.Batch, took[i])
	}
	if len(faults) > 0 {
		return infer.Errorf(infer.Internal, "failed to run warmup sample '%s': %s", sample.Name, strings.Join(faults, ""))
	}
	return nil
}

// check refuses a batch that is too large. Triton gives it to the backend, and crashes in ONNX Runtime.
func (w *warmup) check(sample *modelconfig.ModelWarmup) error {
	if limit := max(w.contract.maxBatch, 1); int64(sample.BatchSize) > limit {
		return infer.Errorf(infer.InvalidArg, "failed to run warmup sample '%s': batch size %d for '%s', max allowed is %d; ",
			sample.Name, sample.BatchSize, w.model, w.contract.maxBatch)
	}
	whole := int64(0)
	for _, in := range sample.Inputs {
		size, _ := zeroBytes(in.Dims, tensor.DataType(in.DataType)) // input refuses a tensor that is too large, with its name
		whole += size
	}
	if whole > maxSampleBytes/max(int64(sample.BatchSize), 1) {
		return infer.Errorf(infer.InvalidArg, "failed to run warmup sample '%s': its batch of %d takes more than %d bytes; ",
			sample.Name, sample.BatchSize, maxSampleBytes)
	}
	return nil
}

// request makes a request for the backend. An input that the config does not have is a control of a sequence, or a mistake
// that the backend finds (docs/triton/loading.md, "Warm-up").
func (w *warmup) request(sample *modelconfig.ModelWarmup) (*infer.Request, error) {
	r := &infer.Request{Model: w.model, Version: w.version}
	var extra []tensor.Tensor
	for _, name := range slices.Sorted(maps.Keys(sample.Inputs)) {
		t, err := w.input(name, sample.Inputs[name])
		if err != nil {
			return nil, err
		}
		if _, declared := w.contract.byInput[name]; declared {
			r.Inputs = append(r.Inputs, t)
		} else {
			extra = append(extra, t)
		}
	}
	if err := w.contract.check(r); err != nil {
		return nil, err
	}
	r = w.contract.reshapeInputs(r)
	if w.sequence != nil {
		return w.sequence.sample(sample.Name, r, extra)
	}
	r.Inputs = append(r.Inputs, extra...)
	return r, nil
}

// sample adds the states of a new sequence to a request. The sample itself must hold the controls: Triton does not add
// them, and its ONNX Runtime backend crashes without them.
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

func (w *warmup) input(name string, in *modelconfig.ModelWarmup_Input) (tensor.Tensor, error) {
	t := tensor.Tensor{Name: name, Type: tensor.DataType(in.DataType), Shape: append(tensor.Shape{}, in.Dims...)}
	size, ok := zeroBytes(t.Shape, t.Type) // strings are empty, for random data too
	if !ok {
		return t, infer.Errorf(infer.InvalidArg, "warmup sample for input '%s' is too large: shape %s", name, t.Shape)
	}
	if w.contract.maxBatch > 0 {
		t.Shape = append(tensor.Shape{1}, t.Shape...)
	}
	var err error
	t.Data, err = w.data(name, in, int(size))
	return t, err
}

// maxSampleBytes limits the memory of a tensor of a config, and of all tensors of a warm-up sample's batch, for configs with
// a mistyped shape.
const maxSampleBytes = 1 << 31

// zeroBytes returns the size of a tensor of zeros, or of empty strings. It returns false when the tensor is too large.
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

func (w *warmup) data(name string, in *modelconfig.ModelWarmup_Input, size int) ([]byte, error) {
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
		return w.file(source.InputDataFile, in, size)
	}
	return nil, infer.Refused(rule.WU2, name)
}

func (w *warmup) file(file string, in *modelconfig.ModelWarmup_Input, size int) ([]byte, error) {
	data, err := w.files.read(folder.Warmup, file)
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
