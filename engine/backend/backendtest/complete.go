package backendtest

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// testComplete tests a backend.Completer. A backend that does not complete configs is tested only with complete ones.
func testComplete(t *testing.T, s Subject) {
	b := s.New(t)
	t.Cleanup(func() { check(t, "close backend", b.Close()) })
	completer, able := b.(backend.Completer)
	if able != (s.Bare != nil) {
		t.Fatalf("the backend completes configs: %v; the suite has a model for it: %v", able, s.Bare != nil)
	}
	if !able {
		t.Skip("the backend completes no configs")
	}
	shape := Shape{Type: tensor.FP32, Dims: []int64{4}, MaxBatch: 4}
	spec := s.Bare(t, shape)
	given := proto.Clone(spec.Config)
	spec.Config = complete(t, completer, spec, given)
	in, out := spec.Config.GetInput(), spec.Config.GetOutput()
	if len(in) != 1 || in[0].Name != "IN" || len(out) != 1 || out[0].Name != "OUT" || spec.Config.MaxBatchSize <= 0 {
		t.Fatalf("IN, OUT and batching are not filled in: %v", spec.Config)
	}
	if again := complete(t, completer, spec, proto.Clone(spec.Config)); !proto.Equal(again, spec.Config) {
		t.Errorf("completed twice it is another config: %v, then %v", spec.Config, again)
	}
	completedRuns(t, s, spec, shape)

	own := s.Bare(t, shape)
	own.Config = proto.Clone(own.Config).(*modelconfig.ModelConfig)
	own.Config.MaxBatchSize = 2
	if got := complete(t, completer, own, proto.Clone(own.Config)); got.MaxBatchSize != 2 {
		t.Errorf("max_batch_size 2 of the config became %d", got.MaxBatchSize)
	}
	broken := s.Broken(t)
	broken.Config = proto.Clone(broken.Config).(*modelconfig.ModelConfig)
	broken.Config.Input, broken.Config.Output = nil, nil
	var refused *infer.Error
	if _, err := completer.Complete(t.Context(), broken); err != nil && !errors.As(err, &refused) {
		t.Errorf("a broken model: %v is not an *infer.Error", err)
	}
}

// complete completes a config, and checks that the given config does not change.
func complete(t *testing.T, completer backend.Completer, spec backend.Spec, given proto.Message) *modelconfig.ModelConfig {
	t.Helper()
	cfg, err := completer.Complete(t.Context(), spec)
	if err != nil {
		t.Fatalf("complete: %v", err)
	}
	if !proto.Equal(spec.Config, given) {
		t.Fatalf("the config that was given was changed: %v", spec.Config)
	}
	return cfg
}

// completedRuns loads a completed config and sends the model a request.
func completedRuns(t *testing.T, s Subject, spec backend.Spec, shape Shape) {
	t.Helper()
	l := load(t, s, spec)
	r := request("IN", shape.Type, append(tensor.Shape{1}, shape.Dims...), 7)
	wantCopy(t, execute(t.Context(), t, l.Instance, r)[0], "OUT", r.Inputs[0])
}
