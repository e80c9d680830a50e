package sched

import (
	"context"
	"maps"
	"slices"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// Resolver finds the models that the steps of an ensemble run on. A request enters one version for each step. So a
// composing model may be replaced while an ensemble runs, and no request sees two versions at a step.
type Resolver interface {
	// Enter returns a version (infer.Latest for the highest) and keeps it loaded until Leave.
	Enter(model string, version int64) (infer.Target, error)
	// Config returns the completed config of a version. The caller must not change it.
	Config(model string, version int64) (*modelconfig.ModelConfig, error)
}

// Ensemble sends a request through the steps of an ensemble as a flow of tensors
// (docs/triton/ensembles.md, "How a request flows"): a step runs when all its inputs are there,
// steps that do not depend on each other run at the same time, and a step whose outputs nobody
// asked for does not run. A step whose model is decoupled answers several times; what follows it
// runs once for each answer, and the ensemble is decoupled too.
type Ensemble struct {
	// Stuck is called when a step waited too long at its limit and goes on anyway. It is set before use, or nil.
	Stuck func(model string, limit int)

	name     string
	resolver Resolver
	steps    []step
	tensors  []flowTensor
	inputs   map[string]int // by name: the tensors that a request brings
	outputs  []flowOutput   // in the config's order
	batching bool
	streams  bool // it may send any number of responses
	forks    bool // several steps may run at a time
	whole    plan // for a request that wants every output
}

// step is one model of the ensemble. Tensors are indices into Ensemble.tensors.
type step struct {
	model   string
	version int64
	inputs  []wire
	outputs []wire
	asks    []infer.RequestedOutput // all outputs that are used
	// limit bounds how many requests of the step are underway; nil for any number.
	limit limit
}

// wire connects a tensor of a step's model with a tensor of the ensemble.
type wire struct {
	name   string
	tensor int
}

// flowTensor is a tensor of the ensemble, with the step that writes it and the steps that read it.
type flowTensor struct {
	name    string
	maker   int    // a step; -1 for an input of the ensemble
	made    string // its name in the maker's model
	readers []int
}

type flowOutput struct {
	name   string
	tensor int
	dims   tensor.Shape
}

var _ infer.Handler = (*Ensemble)(nil)

// NewEnsemble prepares the flow of a config that passed validation (docs/triton/ensembles.md, "The
// wiring").
func NewEnsemble(cfg *modelconfig.ModelConfig, resolver Resolver) *Ensemble {
	e := &Ensemble{
		name: cfg.Name, resolver: resolver, inputs: map[string]int{}, batching: cfg.MaxBatchSize > 0,
		streams: cfg.GetModelTransactionPolicy().GetDecoupled(),
	}
	numbers := map[string]int{}
	number := func(name string) int {
		n, ok := numbers[name]
		if !ok {
			n = len(e.tensors)
			numbers[name] = n
			e.tensors = append(e.tensors, flowTensor{name: name, maker: -1})
		}
		return n
	}
	for _, in := range cfg.Input {
		e.inputs[in.Name] = number(in.Name)
	}
	for i, s := range cfg.GetEnsembleScheduling().GetStep() {
		e.steps = append(e.steps, step{
			model: s.ModelName, version: s.ModelVersion,
			inputs: wires(s.InputMap, number), outputs: wires(s.OutputMap, number),
			limit: newLimit(cfg.GetEnsembleScheduling().GetMaxInflightRequests()),
		})
		e.connect(i)
	}
	for _, out := range cfg.Output {
		e.outputs = append(e.outputs, flowOutput{name: out.Name, tensor: number(out.Name), dims: dimsOf(out)})
	}
	e.whole = e.planFor(&infer.Request{})
	e.forks = e.streams || !e.chained()
	return e
}

// chained reports whether each step needs the one before it, in some order, so that no two steps run at a time.
func (e *Ensemble) chained() bool {
	if len(e.steps) < 2 {
		return true
	}
	begin, follow := 0, make([]int, len(e.steps)) // how many steps need no other, and how many need each
	for i := range e.steps {
		makers := map[int]bool{}
		for _, w := range e.steps[i].inputs {
			if maker := e.tensors[w.tensor].maker; maker >= 0 {
				makers[maker] = true
			}
		}
		if len(makers) == 0 {
			begin++
		}
		for maker := range makers {
			follow[maker]++
		}
	}
	return begin == 1 && slices.Max(follow) <= 1
}

// wires lists a map's entries by name, so that a flow has the same order every time.
func wires(entries map[string]string, number func(string) int) []wire {
	list := make([]wire, 0, len(entries))
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		list = append(list, wire{name: name, tensor: number(entries[name])})
	}
	return list
}

// connect records step i as writer and reader of its tensors. An input of the ensemble stays an
// input even where a step writes it too, which Triton accepts (docs/triton/ensembles.md, "The
// wiring").
func (e *Ensemble) connect(i int) {
	for _, w := range e.steps[i].outputs {
		e.steps[i].asks = append(e.steps[i].asks, infer.RequestedOutput{Name: w.name})
		if _, given := e.inputs[e.tensors[w.tensor].name]; !given {
			e.tensors[w.tensor].maker, e.tensors[w.tensor].made = i, w.name
		}
	}
	for _, w := range e.steps[i].inputs {
		t := &e.tensors[w.tensor]
		t.readers = append(t.readers, i)
	}
}

// dimsOf returns an output's dims as Triton compares them: the reshape where there is one
// (docs/triton/ensembles.md, "Agreement of tensors").
func dimsOf(out *modelconfig.ModelOutput) tensor.Shape {
	if out.Reshape != nil {
		return tensor.Shape(out.Reshape.Shape)
	}
	return tensor.Shape(out.Dims)
}

// Infer runs the flow. When it returns, every step that began has ended, or after a failure has taken its inputs: until then it uses the
// memory of the request. After a failure the others end as if their client had left, and their answers are dropped.
func (e *Ensemble) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	f := newFlow(ctx, e, r)
	f.sink = sink
	if r.Queued != nil {
		r.Queued() // its steps keep no order
	}
	f.begin()
	if f.early != nil {
		<-f.early.over
		if f.early.failed.Load() {
			go f.leave()
			return f.failure()
		}
	}
	defer f.release()
	f.running.Wait()
	return f.end()
}
