package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine"
	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/tensor"
)

// labelled is a model with a label for class 0.
var labelled = strings.Replace(config, "name: \"OUT\"", "name: \"OUT\" label_filename: \"l\"", 1)

// ensembleOfM passes X through m to Y.
const ensembleOfM = `platform: "ensemble" max_batch_size: 4
input [{ name: "X" data_type: %[1]s dims: [2] }]
output [{ name: "Y" data_type: %[1]s dims: [2] }]
ensemble_scheduling { step [{ model_name: "m" model_version: -1 input_map { key: "IN" value: "X" } output_map { key: "OUT" value: "Y" } }] }
`

// swapping is a repository with m and an ensemble e of m. A test changes it under a running engine.
type swapping struct {
	*engine.Engine
	dir *controltest.Dir
}

func newSwapping(t *testing.T, b backend.Backend) *swapping {
	t.Helper()
	s := &swapping{dir: controltest.New(t, 1)}
	s.write(t, "TYPE_FP32", "cat")
	s.dir.Look()
	s.Engine = engine.New(engine.Options{
		Options:  control.Options{Models: s.dir, Mode: control.Explicit, LoadModels: []string{"*"}},
		Backends: []backend.Backend{b}, CacheBytes: 1 << 20,
	})
	runs(t, s.Engine)
	return s
}

func (s *swapping) write(t *testing.T, datatype, label string) {
	t.Helper()
	s.dir.Write(t, "m/l", label+"\ndog\n")
	s.dir.Write(t, "m/config.pbtxt", strings.ReplaceAll(labelled, "TYPE_FP32", datatype))
	s.dir.Write(t, "m/1/model.fake", label)
	s.dir.Write(t, "e/config.pbtxt", fmt.Sprintf(ensembleOfM, datatype))
	s.dir.Write(t, "e/1/", "")
}

// swap loads m and e again from other files.
func (s *swapping) swap(t *testing.T, datatype, label string) {
	t.Helper()
	s.write(t, datatype, label)
	for _, name := range []string{"m", "e"} {
		if err := s.Load(t.Context(), name, kserve.LoadOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
	}
}

func classesOf(in, out, model string, datatype tensor.DataType) *infer.Request {
	return &infer.Request{
		Model: model, Version: infer.Latest, Outputs: []infer.RequestedOutput{{Name: out, Classes: 1}},
		Inputs: []tensor.Tensor{{Name: in, Type: datatype, Shape: tensor.Shape{1, 2}, Data: make([]byte, 8)}},
	}
}

// A request that has entered a version is checked by it, runs on it and has its labels, even if another version
// serves meanwhile.
func TestOneVersionFromEnterToLeave(t *testing.T) {
	b := &fake.Backend{}
	s := newSwapping(t, b)
	target, err := s.Enter("m", infer.Latest)
	if err != nil {
		t.Fatal(err)
	}
	s.swap(t, "TYPE_INT32", "tiger")
	if got := target.Config.Input[0].DataType; got != modelconfig.DataType_TYPE_FP32 {
		t.Errorf("the config is now that of another version: %v", got)
	}
	err = target.Infer(t.Context(), classesOf("IN", "OUT", "m", tensor.FP32), wantClass(t, "0.000000:0:cat"))
	if err != nil {
		t.Errorf("a request that was read by the version's config: %v", err)
	}
	if n := b.Models.Load(); n != 2 {
		t.Errorf("%d models are loaded while the old one is entered, want both", n)
	}
	target.Leave()
	if err := s.Infer(t.Context(), classesOf("IN", "OUT", "m", tensor.Int32), wantClass(t, "0:0:tiger")); err != nil {
		t.Error(err)
	}
}

func wantClass(t *testing.T, want string) infer.Sink {
	return func(r *infer.Response) error {
		if got := string(r.Outputs[0].Data[4:]); got != want {
			t.Errorf("class %q, want %q", got, want)
		}
		return nil
	}
}

// A model may be reloaded while a step runs. The ensemble's answer has the labels of the version that ran. So has an
// answer of the response cache.
func TestStepsOfOneVersion(t *testing.T) {
	for _, cached := range []string{"", "response_cache { enable: true }"} {
		var s *swapping
		var once sync.Once
		b := &fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, batch *backend.Batch) {
			once.Do(func() {
				s.dir.Write(t, "m/l", "tiger\ndog\n")
				if err := s.Load(t.Context(), "m", kserve.LoadOptions{Force: true}); err != nil {
					t.Error(err)
				}
			})
			out := batch.Requests[0].Inputs[0]
			out.Name = "OUT"
			batch.Respond(0, &infer.Response{Outputs: []tensor.Tensor{out}, Final: true})
		}}
		s = newSwapping(t, b)
		s.dir.Write(t, "e/config.pbtxt", fmt.Sprintf(ensembleOfM, "TYPE_FP32")+cached)
		if err := s.Load(t.Context(), "e", kserve.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"0.000000:0:cat", "0.000000:0:tiger", "0.000000:0:tiger"} {
			if err := s.Infer(t.Context(), classesOf("X", "Y", "e", tensor.FP32), wantClass(t, want)); err != nil {
				t.Error(err)
			}
		}
	}
}

// A request of an ensemble that waits for its turn goes to the versions of the steps that served when it came, also through an ensemble in
// the ensemble. An answer that the response cache keeps then is not found by those who ask the new version.
func TestHeldStepsOfAnEnsemble(t *testing.T) {
	b := &fake.Backend{}
	s := newSwapping(t, b)
	of := fmt.Sprintf(ensembleOfM, "TYPE_FP32")
	s.dir.Write(t, "outer/config.pbtxt", strings.NewReplacer(`"m"`, `"e"`, `"IN"`, `"X"`, `"OUT"`, `"Y"`).Replace(of))
	s.dir.Write(t, "outer/1/", "")
	s.dir.Write(t, "cached/config.pbtxt", of+"response_cache { enable: true }")
	s.dir.Write(t, "cached/1/", "")
	held := map[string]*infer.Target{}
	for _, name := range []string{"e", "outer", "cached"} {
		if err := s.Load(t.Context(), name, kserve.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		target, err := s.Enter(name, infer.Latest)
		if err != nil {
			t.Fatal(err)
		}
		target.Hold()
		held[name] = &target
	}
	s.dir.Write(t, "m/l", "tiger\ndog\n")
	if err := s.Load(t.Context(), "m", kserve.LoadOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	for name, target := range held {
		if err := target.Infer(t.Context(), classesOf("X", "Y", name, tensor.FP32), wantClass(t, "0.000000:0:cat")); err != nil {
			t.Error(err)
		}
		if n := b.Models.Load(); n != 2 {
			t.Errorf("%d models are loaded while requests hold the old one, want both", n)
		}
	}
	for name, target := range held {
		target.Leave()
		if err := s.Infer(t.Context(), classesOf("X", "Y", name, tensor.FP32), wantClass(t, "0.000000:0:tiger")); err != nil {
			t.Error(err)
		}
	}
}

// A client that follows the config is never refused, and never gets an answer of another version, even when the model
// changes its datatype and labels between the client's look at the config and its request.
func TestNoMixtureUnderReloads(t *testing.T) {
	s := newSwapping(t, &fake.Backend{})
	labels := map[tensor.DataType]string{tensor.FP32: "0.000000:0:cat", tensor.Int32: "0:0:tiger"}
	var answered atomic.Int64
	done := make(chan struct{})
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				target, err := s.Enter("m", infer.Latest)
				if err != nil {
					t.Error(err)
					return
				}
				datatype := tensor.DataType(target.Config.Input[0].DataType)
				if err := target.Infer(t.Context(), classesOf("IN", "OUT", "m", datatype), wantClass(t, labels[datatype])); err != nil {
					t.Error(err)
				}
				target.Leave()
				answered.Add(1)
			}
		})
	}
	for i := range 40 {
		if i%2 == 0 {
			s.swap(t, "TYPE_INT32", "tiger")
		} else {
			s.swap(t, "TYPE_FP32", "cat")
		}
	}
	close(done)
	clients.Wait()
	if answered.Load() == 0 {
		t.Error("nothing was asked")
	}
}
