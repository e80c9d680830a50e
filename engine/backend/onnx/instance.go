package onnx

import (
	"context"

	"conch/engine/backend"
	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
	"conch/engine/tensor"
)

var (
	_ backend.Instance    = (*instance)(nil)
	_ backend.Interrupter = (*instance)(nil)
)

// instance executes batches with working memory of its own.
type instance struct {
	model   *model
	at      placement
	session *ort.Session
	runner  *ort.Runner
	wanted  []output        // of the run at hand
	joined  []joined        // gathered inputs, one for each of the first request's
	made    []tensor.Tensor // batch inputs: what a ragged batch is made of
	shape   tensor.Shape    // of the output at hand

	unpinned bool            // the provider gives no pinned memory
	told     map[string]bool // what the log has of this instance
}

func newInstance(m *model, at placement, session *ort.Session, runner *ort.Runner) *instance {
	return &instance{model: m, at: at, session: session, runner: runner}
}

// Execute runs the batch at once. If the model does not batch, its requests run one after the other.
func (in *instance) Execute(ctx context.Context, batch *backend.Batch) {
	if len(batch.Requests) == 0 {
		return
	}
	if len(batch.Requests) > 1 && !in.model.batching() {
		for i := range batch.Requests {
			in.execute(ctx, batch, i, i+1)
		}
		return
	}
	in.execute(ctx, batch, 0, len(batch.Requests))
}

// execute runs the requests from first to before end together and answers them.
func (in *instance) execute(ctx context.Context, batch *backend.Batch, first, end int) {
	requests := batch.Requests[first:end]
	answers, err := in.run(ctx, batch, requests)
	for i := range requests {
		if err != nil {
			batch.Fail(first+i, err)
			continue
		}
		batch.Respond(first+i, &answers[i].response)
	}
}

func (in *instance) run(ctx context.Context, batch *backend.Batch, requests []*infer.Request) ([]answer, error) {
	defer in.model.rest.ran()
	defer in.runner.Reset()
	in.chooseOutputs(requests)
	if err := in.setInputs(requests); err != nil {
		return nil, err
	}
	batch.InputDone()
	if len(in.wanted) > 0 {
		if err := in.runner.Run(ctx); err != nil {
			return nil, in.failed(err)
		}
	}
	batch.InferDone()
	return in.answer(requests)
}

// failed looks at the error of a run. A run for which a GPU had no memory has made its arena larger: what nobody uses of it goes back,
// for requests and models that fit.
func (in *instance) failed(err error) error {
	if isFull(in.at, err) {
		in.session.ShrinkGPU(in.at.device)
	}
	return in.model.backend.failed(in.at, err)
}

// chooseOutputs asks for the outputs that at least one request wants.
func (in *instance) chooseOutputs(requests []*infer.Request) {
	in.wanted = in.wanted[:0]
	for _, out := range in.model.outputs {
		for _, r := range requests {
			if r.Wants(out.name) {
				in.wanted = append(in.wanted, out)
				in.runner.Want(out.index)
				break
			}
		}
	}
}

func (in *instance) setInputs(requests []*infer.Request) error {
	lead := requests[0]
	if len(requests) > 1 || in.model.layout != nil {
		return in.joinInputs(requests)
	}
	for i := range lead.Inputs {
		var err error
		if t := &lead.Inputs[i]; lead.Away[t.Name] != nil {
			err = in.setAway(t, lead.Away[t.Name])
		} else {
			err = in.setInput(t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (in *instance) setInput(t *tensor.Tensor) error {
	index, shape, err := in.place(t)
	if err != nil {
		return err
	}
	return in.wrong(in.runner.Input(index, t, shape))
}

// place returns the number and the shape of an input in the graph.
func (in *instance) place(t *tensor.Tensor) (int, tensor.Shape, error) {
	where, ok := in.model.inputs[t.Name]
	if !ok {
		return 0, nil, infer.Errorf(infer.InvalidArg, "unexpected inference input '%s' for model '%s'", t.Name, in.model.spec.Name)
	}
	shape := t.Shape
	if where.scalar {
		if n, ok := shape.Elements(); ok && n == 1 {
			shape = nil
		}
	}
	return where.index, shape, nil
}

// wrong is the error of an input that the session does not take.
func (in *instance) wrong(err error) error {
	if err == nil {
		return nil
	}
	return infer.Errorf(infer.InvalidArg, "%v for model '%s'", err, in.model.spec.Name)
}

// Interrupt ends the current execution. The instance cannot be used any more.
func (in *instance) Interrupt() { in.runner.Interrupt() }

// Close frees the working memory. No Execute runs then.
func (in *instance) Close() error {
	in.runner.Close()
	for i := range in.joined {
		in.joined[i].unpin()
	}
	return nil
}
