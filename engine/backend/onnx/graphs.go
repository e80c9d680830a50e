package onnx

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/onnx/ort"
	"conch/engine/cuda"
	"conch/engine/hostpolicy"
	"conch/engine/infer"
	"conch/engine/tensor"
)

const (
	// leastRuns is how many runs of a set of shapes are ordinary ones, so that rare shapes take no graph from others.
	leastRuns = 3
	// mostGraphs is how many CUDA graphs an instance makes: each has memory on the GPU of its own.
	mostGraphs = 8
	// mostRecordings is how often an instance records: ONNX Runtime keeps what it has recorded until the session ends.
	mostRecordings = 32
	// mostShapes is of how many sets of shapes an instance remembers that they were there.
	mostShapes = 64
	// graphPatience is how long a recording waits for others that use CUDA.
	graphPatience = 250 * time.Millisecond
)

// graphs are the CUDA graphs of one instance. A graph belongs to one set of shapes: it reads inputs and writes outputs at places that
// never change, so requests are copied there, and answers from there. The first runs of a set of shapes are ordinary ones, which
// show what the outputs look like; the next is recorded, and all others are replayed. The first run of further shapes may have had
// the session take larger memory in place of some that graphs read, so all are recorded again after it.
type graphs struct {
	lane   *lane
	seat   seat
	sets   map[string]*graphSet
	made   int // sets with memory
	number int // of the last graph
	told   bool
	key    []byte
}

// graphSet is a set of shapes.
type graphSet struct {
	runs    int               // ordinary ones, up to leastRuns
	outputs []ort.FixedTensor // nil before the first run
	fixed   *ort.Fixed        // nil before the first recording
	// recorded is true when the next run is a replay. plain is true when runs of these shapes stay ordinary ones.
	recorded, plain bool
}

func newGraphs(at seat, policy hostpolicy.Policy) (*graphs, error) {
	l, err := newLane(policy)
	if err != nil {
		return nil, err
	}
	return &graphs{lane: l, seat: at, sets: map[string]*graphSet{}}, nil
}

// close frees the graphs. The session is closed after it.
func (g *graphs) close() {
	cuda.Enter()
	defer cuda.Leave()
	for _, s := range g.sets {
		if s.fixed != nil {
			s.fixed.Close()
		}
	}
	g.lane.end()
}

// disturb is told before each ordinary run. What was recorded before the first one of its shapes is not replayed any more.
func (g *graphs) disturb(s *graphSet) {
	if s != nil && (s.plain || s.outputs != nil) {
		return
	}
	for _, other := range g.sets {
		other.recorded = false
	}
}

// set returns the set of shapes of the run at hand; nil where a graph cannot run it.
func (g *graphs) set(in *instance) *graphSet {
	slices.SortFunc(in.given, func(a, b given) int { return a.index - b.index })
	key := g.key[:0]
	for _, t := range in.given {
		if elements, ok := t.shape.Elements(); !ok || elements == 0 || t.tensor.Type == tensor.Bytes || t.index >= len(in.session.Model().Inputs) {
			return nil
		}
		key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(t.index)), uint64(len(t.shape)))
		for _, size := range t.shape {
			key = binary.AppendUvarint(key, uint64(size))
		}
	}
	key = binary.AppendUvarint(key, uint64(len(in.given)))
	for _, out := range in.wanted {
		key = binary.AppendUvarint(key, uint64(out.index))
	}
	g.key = key
	set := g.sets[string(key)]
	if set == nil && len(in.given) > 0 && len(in.wanted) > 0 {
		g.forget()
		set = &graphSet{}
		g.sets[string(key)] = set
	}
	return set
}

// forget makes room for a new set: those without a graph go.
func (g *graphs) forget() {
	if len(g.sets) < mostShapes {
		return
	}
	for key, s := range g.sets {
		if s.fixed == nil {
			delete(g.sets, key)
		}
	}
}

// learn keeps what the outputs of an ordinary run look like.
func (s *graphSet) learn(in *instance) {
	s.runs = min(s.runs+1, leastRuns)
	if s.plain || s.outputs != nil {
		return
	}
	outputs := make([]ort.FixedTensor, len(in.wanted))
	for k, out := range in.wanted {
		kind, shape, _ := in.runner.Output(k, nil)
		if elements, ok := shape.Elements(); !ok || elements == 0 || kind == tensor.Bytes {
			s.plain = true
			return
		}
		outputs[k] = ort.FixedTensor{Index: out.index, Type: kind, Shape: shape}
	}
	s.outputs = outputs
}

// replay runs the requests at hand by a graph. done is false where an ordinary run has to do it.
func (in *instance) replay(ctx context.Context, batch *backend.Batch, requests []*infer.Request, s *graphSet) (answers []answer, done bool, err error) {
	if s == nil || s.plain || s.runs < leastRuns || !s.recorded && !in.mayRecord(s) || !in.fix(s) {
		return nil, false, nil
	}
	memory, err := in.model.backend.options.GPUMemory()
	if err != nil {
		return nil, true, err
	}
	if err := in.copyIn(memory, s); err != nil {
		return nil, true, in.copyFailed(err)
	}
	batch.InputDone()
	if done, err := in.runGraph(ctx, s); err != nil || !done {
		return nil, done, err
	}
	batch.InferDone()
	in.replayed = s
	answers, err = in.answer(requests)
	return answers, true, err
}

// mayRecord reports whether there is a point in trying. More recordings than enough make runs of these shapes ordinary ones.
func (in *instance) mayRecord(s *graphSet) bool {
	if in.graphs.number == mostRecordings {
		s.plain = true
		in.graphs.full(in)
		return false
	}
	return !cuda.Crowded()
}

// fix takes the memory of a graph. Where there is none, runs of these shapes stay ordinary ones.
func (in *instance) fix(s *graphSet) bool {
	if s.fixed != nil {
		return true
	}
	if in.graphs.made == mostGraphs {
		s.plain = true
		in.tell("no CUDA graph is made of runs with more sets of shapes", "graphs", mostGraphs)
		return false
	}
	inputs := make([]ort.FixedTensor, len(in.given))
	for i, t := range in.given {
		inputs[i] = ort.FixedTensor{Index: t.index, Type: t.tensor.Type, Shape: slices.Clone(t.shape)}
	}
	cuda.Enter()
	defer cuda.Leave()
	fixed, err := in.session.Fix(in.at.device, inputs, s.outputs)
	if err != nil {
		s.plain = true
		in.tell("no CUDA graph is made: its inputs and outputs get no memory", "error", err)
		return false
	}
	in.graphs.made++
	s.fixed = fixed
	return true
}

// runGraph runs a graph, and records it before where that was not done. done is false when others use CUDA, and when the recording failed.
func (in *instance) runGraph(ctx context.Context, s *graphSet) (done bool, err error) {
	if s.recorded {
		cuda.Enter()
		defer cuda.Leave()
		if err := s.fixed.Run(); err != nil {
			return true, in.failed(err)
		}
		return true, nil
	}
	if !cuda.Alone(graphPatience) {
		return false, nil
	}
	if err := in.record(s); err != nil {
		return false, in.giveUpGraphs(ctx, err)
	}
	s.recorded = true
	in.tell("runs of these shapes are replayed from a CUDA graph")
	return true, nil
}

// record records a graph. Nothing else uses CUDA then.
func (in *instance) record(s *graphSet) error {
	defer cuda.Together()
	in.graphs.number++
	return s.fixed.Record(in.graphs.number)
}

// full tells once that no more is recorded.
func (g *graphs) full(in *instance) {
	if !g.told {
		g.told = true
		in.model.backend.options.Log.Warn("no more CUDA graphs are recorded: the shapes of requests change too often", "model", in.model.spec.Name,
			"recorded", g.number)
	}
}

// giveUpGraphs goes on without graphs: a session whose recording failed cannot be used any more. It is closed before another one is opened,
// since a GPU may not have room for both.
func (in *instance) giveUpGraphs(ctx context.Context, why error) error {
	m, g := in.model, in.graphs
	if m.graphs.CompareAndSwap(true, false) {
		m.backend.options.Log.Warn("CUDA graphs are not used any more: a run could not be recorded as one", "model", m.spec.Name, "error", why)
	}
	m.backend.failed(in.at, why) // a GPU may be lost
	in.runner.Close()
	in.graphs, in.session = nil, nil
	g.close()
	m.closeSeat(g.seat)
	return in.reopen(ctx)
}

// reopen takes the session of the instance's place, which all instances there share. Without one, the next run tries again.
func (in *instance) reopen(ctx context.Context) error {
	session, err := in.model.session(ctx, seat{placement: in.at, policy: in.policy.Name}, in.policy)
	if err != nil {
		return err
	}
	runner, err := in.model.runner(session, nil)
	if err != nil {
		return err
	}
	in.replaceRunner(runner)
	in.session = session
	return nil
}

// copyIn copies the inputs to where the graph reads them.
func (in *instance) copyIn(memory GPUMemory, s *graphSet) error {
	for i, t := range in.given {
		to := s.fixed.Input(i)
		if in.here(t.away) {
			if size := t.away.Size(); size != s.fixed.Size(i) {
				return in.misfit(t, size, s.fixed.Size(i))
			}
			if err := memory.Copy(in.at.device, to, t.away.Address(), s.fixed.Size(i)); err != nil {
				return err
			}
			continue
		}
		near, err := in.near(t)
		if err != nil {
			return err
		}
		if size := len(near.Data); size != s.fixed.Size(i) {
			return in.misfit(t, size, s.fixed.Size(i))
		}
		if err := memory.Write(in.at.device, to, near.Data); err != nil {
			return err
		}
	}
	return nil
}

// misfit is the error of an input whose bytes are not those of its shape.
func (in *instance) misfit(t given, size, want int) error {
	return infer.Errorf(infer.InvalidArg, "input '%s' has %d bytes, which is not the %d of its shape %s for model '%s'", t.tensor.Name, size, want,
		t.shape, in.model.spec.Name)
}
