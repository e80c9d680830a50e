package backendtest

import (
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/tensor"
)

// Subject is a backend that the suite tests.
type Subject struct {
	// New makes a backend; the suite closes it.
	New func(t *testing.T) backend.Backend
	// Identity writes a model that copies IN to OUT, and returns the spec to load it.
	Identity func(t *testing.T, shape Shape) backend.Spec
	// Pair writes a model that copies IN0 to OUT0 and IN1 to OUT1; nil when the backend has none.
	Pair func(t *testing.T, shape Shape) backend.Spec
	// Ragged writes a model of a config with ragged inputs, batch inputs and batch outputs. Its k-th output copies its k-th
	// input; batch inputs come after the inputs. Nil when the backend does not support them.
	Ragged func(t *testing.T, cfg *modelconfig.ModelConfig) backend.Spec
	// Bare writes a model as Identity does, which batches, and returns a spec whose config has no tensors and no batch size.
	// Nil for a backend that does not complete configs.
	Bare func(t *testing.T, shape Shape) backend.Spec
	// Counts writes a decoupled model, which batches. For the number n in IN (INT32, dims 1) it sends 0, 1, … n-1 in OUT (INT32,
	// dims 1), each as a response of a Responder. Nil for a backend that does not use Responders.
	Counts func(t *testing.T) backend.Spec
	// Calls writes a model that sends its input IN (INT32, dims 2) to the model with the given name, and returns the answer as
	// its own OUT. Nil for a backend whose instances are not a backend.Caller.
	Calls func(t *testing.T, other string) backend.Spec
	// Kill makes an instance die; nil for a backend whose instances are not a backend.Mortal.
	Kill func(t *testing.T, in backend.Instance)
	// Waits writes a model that takes IN milliseconds (INT32, dims 1), and then copies IN to OUT. Nil for a backend whose instances
	// are not backend.Eager.
	Waits func(t *testing.T) backend.Spec
	// Unready writes a model that says that it is not ready. Nil for a backend whose instances are not a backend.Prober.
	Unready func(t *testing.T) backend.Spec
	// Broken writes a model that must not load.
	Broken func(t *testing.T) backend.Spec
	// Types are the data types that the backend supports.
	Types []tensor.DataType
}

// Shape is the shape of a model's tensors.
type Shape struct {
	Type     tensor.DataType
	Dims     []int64 // without the batch dimension
	MaxBatch int32   // 0: the model does not batch
}

// Run tests every promise of the contract.
func Run(t *testing.T, s Subject) {
	t.Run("load", func(t *testing.T) { testLoad(t, s) })
	t.Run("complete", func(t *testing.T) { testComplete(t, s) })
	t.Run("types", func(t *testing.T) { testTypes(t, s) })
	t.Run("batches", func(t *testing.T) { testBatches(t, s) })
	t.Run("answers", func(t *testing.T) { testAnswers(t, s) })
	t.Run("later", func(t *testing.T) { testLater(t, s) })
	t.Run("calls", func(t *testing.T) { testCalls(t, s) })
	t.Run("mortal", func(t *testing.T) { testMortal(t, s) })
	t.Run("eager", func(t *testing.T) { testEager(t, s) })
	t.Run("ready", func(t *testing.T) { testReady(t, s) })
	t.Run("memory", func(t *testing.T) { testMemory(t, s) })
	t.Run("rooms", func(t *testing.T) { testRooms(t, s) })
	t.Run("GPU memory", func(t *testing.T) { testGPUMemory(t, s) })
	t.Run("ragged", func(t *testing.T) { testRagged(t, s) })
	t.Run("side by side", func(t *testing.T) { testSideBySide(t, s) })
}

// loaded is a model and an instance of it, closed in the contract's order.
type loaded struct {
	Model    backend.Model
	Instance backend.Instance
}

func load(t *testing.T, s Subject, spec backend.Spec) loaded {
	t.Helper()
	b := s.New(t)
	t.Cleanup(func() { check(t, "close backend", b.Close()) })
	m, err := b.Load(t.Context(), spec)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	t.Cleanup(func() { check(t, "close model", m.Close()) })
	return loaded{Model: m, Instance: instance(t, m, spec.Name+"_0_0")}
}

func instance(t *testing.T, m backend.Model, name string) backend.Instance {
	t.Helper()
	in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: name, Kind: modelconfig.ModelInstanceGroup_KIND_CPU})
	if err != nil {
		t.Fatalf("make instance: %v", err)
	}
	t.Cleanup(func() { check(t, "close instance", in.Close()) })
	return in
}

func check(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}
