package python

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"conch/engine/backend"
	"conch/engine/infer"
)

// stopPatience is how long a model's finalize may take.
const stopPatience = 10 * time.Second

// model is one version. Its instances hold everything.
type model struct {
	spec   backend.Spec
	launch launch
	ports  *ports // of the backend
	closed func() // is called when it is closed

	keepsStates bool // the backend keeps the states of sequences

	toldUnknown atomic.Bool // the log has what the program answers and the config does not have
}

var (
	_ backend.Model    = (*model)(nil)
	_ backend.Parallel = (*model)(nil)
)

// NewInstance starts a process and has it make the model.
func (m *model) NewInstance(ctx context.Context, spec backend.InstanceSpec) (backend.Instance, error) {
	args, err := argsOf(m.spec, spec)
	if err != nil {
		return nil, infer.Errorf(infer.Internal, "write the config of model '%s' as JSON: %v", m.spec.Name, err)
	}
	in := newInstance(ctx, m, spec.Name)
	launch := m.launch
	launch.policy = spec.Policy
	if in.process, err = launch.start(spec.Name, m.spec.Log.With("instance", spec.Name), in); err != nil {
		return nil, infer.Errorf(infer.Unavailable, "model '%s' needs Python: %v", m.spec.Name, err)
	}
	go func() {
		<-in.process.dead
		in.asks.close()
	}()
	first := setup{Action: "initialize", Spec: m.launch.specOf(m.spec, spec.Name), Args: args, Memory: m.launch.memory}
	made, err := in.process.setUp(ctx, first, in.done)
	if err != nil {
		return nil, m.launch.notInstalled(err)
	}
	in.probing.has = string(made.Value) == "true"
	in.isMade()
	return in, nil
}

// leastParallel is how many instances are made at a time on a small machine too: they may wait for a disk or a network.
const leastParallel = 4

// Parallel implements backend.Parallel: an instance is a process.
func (m *model) Parallel() int { return max(leastParallel, runtime.NumCPU()) }

// isMade notes that initialize has returned.
func (in *instance) isMade() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.making = nil
}

// Close frees the environment.
func (m *model) Close() error {
	m.closed()
	return nil
}

// decoupled reports whether the model sends any number of responses.
func (m *model) decoupled() bool { return m.spec.Config.GetModelTransactionPolicy().GetDecoupled() }
