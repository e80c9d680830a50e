package onnx

import (
	"context"
	"sync"

	"conch/engine/backend"
	"conch/engine/backend/onnx/ort"
	"conch/engine/cuda"
	"conch/engine/hostpolicy"
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
	session *ort.Session // nil after one was lost, until another is opened
	runner  *ort.Runner
	wanted  []output        // of the run at hand
	given   []given         // of the run at hand
	joined  []joined        // gathered inputs, one for each of the first request's
	made    []tensor.Tensor // batch inputs: what a ragged batch is made of
	shape   tensor.Shape    // of the output at hand

	graphs   *graphs                  // nil for an instance without CUDA graphs
	replayed *graphSet                // what has run in place of the runner
	landings map[string]infer.Landing // places that the request at hand has for outputs on a GPU
	rooms    map[string][]byte        // and memory of this process
	batch    int64                    // and its batch extent
	pieces   []*cuda.Pinned           // outputs of the run at hand are in them
	large    map[int]bool             // by number, outputs that were large: whether they are made on the GPU

	surprising map[int]bool // by number, outputs that were not what the graph says: they are made in no room

	policy hostpolicy.Policy // of an instance with CUDA graphs

	// swapping guards runner and interrupted against Interrupt.
	swapping    sync.Mutex
	interrupted bool

	late bool            // outputs do not stay on the GPU, see AcceleratorInfo
	told map[string]bool // what the log has of this instance
}

func newInstance(m *model, at placement, session *ort.Session, runner *ort.Runner) *instance {
	return &instance{model: m, at: at, session: session, runner: runner, late: at.gpu && m.late(at)}
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
	if err != nil && len(requests) == len(batch.Requests) {
		batch.Uncounted()
	}
	for i := range requests {
		if err != nil {
			batch.Fail(first+i, err)
			continue
		}
		batch.Respond(first+i, &answers[i].response)
	}
}

// run runs the requests together; those of an instance with CUDA graphs run on its thread.
func (in *instance) run(ctx context.Context, batch *backend.Batch, requests []*infer.Request) ([]answer, error) {
	if in.graphs == nil {
		return in.compute(ctx, batch, requests)
	}
	return in.runOnLane(ctx, batch, requests)
}

// runOnLane is a function of its own, since what its closure sets lies on the heap.
func (in *instance) runOnLane(ctx context.Context, batch *backend.Batch, requests []*infer.Request) (answers []answer, err error) {
	in.graphs.lane.do(func() { answers, err = in.compute(ctx, batch, requests) })
	return answers, err
}

func (in *instance) compute(ctx context.Context, batch *backend.Batch, requests []*infer.Request) ([]answer, error) {
	defer in.model.rest.ran()
	defer in.reset()
	if in.session == nil {
		if err := in.reopen(ctx); err != nil {
			return nil, err
		}
	}
	in.chooseOutputs(requests)
	if len(requests) == 1 {
		in.placesOf(requests[0])
	}
	if err := in.gatherInputs(requests); err != nil {
		return nil, err
	}
	var set *graphSet
	if in.graphs != nil {
		set = in.graphs.set(in)
		if answers, done, err := in.replay(ctx, batch, requests, set); done || err != nil {
			return answers, err
		}
	}
	if err := in.feed(); err != nil {
		return nil, err
	}
	batch.InputDone()
	if in.graphs != nil {
		in.graphs.disturb(set)
	}
	if len(in.wanted) > 0 {
		err := in.runOnce(ctx)
		if err != nil {
			err = in.runAgain(ctx, err)
		}
		if err != nil {
			return nil, in.failed(err)
		}
	}
	batch.InferDone()
	if set != nil {
		set.learn(in)
	}
	return in.answer(requests)
}

// runOnce runs the model by the runner.
func (in *instance) runOnce(ctx context.Context) error {
	if in.at.gpu {
		cuda.Enter()
		defer cuda.Leave()
	}
	return in.runner.Run(ctx)
}

// reset forgets the run at hand.
func (in *instance) reset() {
	in.runner.Reset()
	clear(in.given)
	in.given, in.replayed, in.landings, in.rooms = in.given[:0], nil, nil, nil
}

// failed looks at the error of a run. A run for which a GPU had no memory has made its arena larger: what nobody uses of it goes back,
// for requests and models that fit.
func (in *instance) failed(err error) error {
	if isFull(in.at, err) && in.graphs == nil { // a graph uses its arena between runs, too
		cuda.Enter()
		defer cuda.Leave()
		in.session.ShrinkGPU(in.at.device)
	}
	return in.model.backend.failed(in.at, err)
}

// chooseOutputs collects the outputs that at least one request wants.
func (in *instance) chooseOutputs(requests []*infer.Request) {
	in.wanted = in.wanted[:0]
	for _, out := range in.model.outputs {
		for _, r := range requests {
			if r.Wants(out.name) {
				in.wanted = append(in.wanted, out)
				break
			}
		}
	}
}

// given is an input of the run at hand.
type given struct {
	tensor *tensor.Tensor
	index  int          // in the graph
	shape  tensor.Shape // in the graph
	away   infer.Away   // where its bytes are, if they are in the memory of a GPU
}

// gatherInputs collects the inputs of the requests, as the graph has them.
func (in *instance) gatherInputs(requests []*infer.Request) error {
	lead := requests[0]
	if len(requests) > 1 || in.model.layout != nil {
		return in.joinInputs(requests)
	}
	for i := range lead.Inputs {
		t := &lead.Inputs[i]
		if err := in.give(t, lead.Away[t.Name]); err != nil {
			return err
		}
	}
	return nil
}

func (in *instance) give(t *tensor.Tensor, away infer.Away) error {
	index, shape, err := in.place(t)
	if err != nil {
		return err
	}
	in.given = append(in.given, given{t, index, shape, away})
	return nil
}

// feed gives the inputs to the runner, and asks it for the outputs.
func (in *instance) feed() error {
	for _, out := range in.wanted {
		if in.leaves(out) {
			in.runner.WantOnGPU(out.index, in.at.device)
		} else if room, kind, shape := in.roomFor(out); room != nil {
			in.runner.WantIn(out.index, kind, shape, room)
		} else {
			in.runner.Want(out.index)
		}
	}
	for _, g := range in.given {
		if done, err := in.feedAway(g); done {
			if err != nil {
				return err
			}
			continue
		}
		t, err := in.near(g)
		if err != nil {
			return err
		}
		if err := in.wrong(in.runner.Input(g.index, t, g.shape)); err != nil {
			return err
		}
	}
	return nil
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
func (in *instance) Interrupt() {
	in.swapping.Lock()
	defer in.swapping.Unlock()
	in.interrupted = true
	in.runner.Interrupt()
}

// replaceRunner goes on with another runner.
func (in *instance) replaceRunner(r *ort.Runner) {
	in.swapping.Lock()
	defer in.swapping.Unlock()
	in.runner.Close()
	in.runner = r
	if in.interrupted {
		r.Interrupt()
	}
}

// Close frees the working memory. No Execute runs then.
func (in *instance) Close() error {
	in.runner.Close()
	for i := range in.joined {
		in.unpin(&in.joined[i])
	}
	if in.graphs != nil {
		in.graphs.close()
		in.model.closeSeat(in.graphs.seat)
	}
	return nil
}
