package python_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/backendtest"
	"conch/engine/metrics/own"
	"conch/engine/tensor"
)

// asksModel uses metrics and controls other models, and answers with what it was told.
const asksModel = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.family = pb_utils.MetricFamily(name="seen", description="what was seen", kind=pb_utils.MetricFamily.COUNTER)
        self.seen = self.family.Metric(labels={"model": args["model_name"]})
        self.told = []
        self.attempt(lambda: pb_utils.load_model("m"))

    def attempt(self, act):
        try:
            self.told.append(str(act()))
        except pb_utils.TritonModelException as error:
            self.told.append("refused: " + str(error))

    def execute(self, requests):
        self.seen.increment(2)
        sizes = pb_utils.MetricFamily(name="sizes", description="", kind=pb_utils.MetricFamily.HISTOGRAM)
        sizes.Metric(buckets=[1, 10]).observe(5)  # is gone at once
        self.attempt(self.seen.value)
        self.attempt(lambda: pb_utils.load_model("other", '{"backend":"x"}', {"file:1/model.onnx": b"\x00\xff"}))
        self.attempt(lambda: pb_utils.load_model("bad"))
        self.attempt(lambda: pb_utils.unload_model("other", True))
        self.attempt(lambda: pb_utils.is_model_ready("other", "3"))
        self.attempt(lambda: pb_utils.is_model_ready("unknown"))
        self.attempt(lambda: pb_utils.MetricFamily(name="nv_x", description="", kind=pb_utils.MetricFamily.GAUGE))
        told = np.array([["\n".join(self.told).encode()]], np.object_)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", told)]) for _ in requests]
`

// controlled is a server that notes what is asked of it.
type controlled struct{ asked []string }

// asker is the key of a value in the contexts that a model gets.
type asker struct{}

func (c *controlled) LoadModel(ctx context.Context, name, config string, files map[string][]byte) error {
	c.asked = append(c.asked, fmt.Sprintf("load %s %s %q in %v", name, config, files, ctx.Value(asker{})))
	if name == "bad" {
		return errors.New("failed to load 'bad', failed to poll from model repository")
	}
	return nil
}

func (c *controlled) UnloadModel(name string, dependents bool) error {
	c.asked = append(c.asked, fmt.Sprintf("unload %s %v", name, dependents))
	return nil
}

func (c *controlled) ModelReady(_ context.Context, name string, version int64) bool {
	return name == "other" && version == 3
}

// A model counts in the engine's metrics until its process ends, and loads and unloads other models.
func TestAsks(t *testing.T) {
	server, registry := &controlled{}, &own.Registry{}
	spec := specOf(t, asksModel, flat(tensor.Bytes))
	spec.Server, spec.Metrics = server, registry
	m, err := newBackend(t).Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	of := func(what string) context.Context { return context.WithValue(t.Context(), asker{}, what) }
	in, err := m.NewInstance(of("NewInstance"), backend.InstanceSpec{Name: "m_0", Kind: modelconfig.ModelInstanceGroup_KIND_CPU})
	if err != nil {
		t.Fatal(err)
	}
	r, err := runIn(of("Execute"), t, in, tensor.Tensor{Name: "IN", Type: tensor.Bytes, Shape: tensor.Shape{1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	const refused = "Failed to process the request for model 'm_0', message: "
	const want = "None\n2.0\nNone\n" +
		"refused: Failed to load model: " + refused + "failed to load 'bad', failed to poll from model repository\nNone\nTrue\nFalse\n" +
		"refused: Error when creating MetricFamily: " + refused + "the name 'nv_x' begins with 'nv_', as the server's own metrics do"
	if got := string(r.Outputs[0].Data[4:]); got != want {
		t.Errorf("it was told %s\nwant %s", got, want)
	}
	asked := `[load m  map[] in NewInstance load other {"backend":"x"} map["1/model.onnx":"\x00\xff"] in Execute ` +
		`load bad  map[] in Execute unload other true]`
	if got := fmt.Sprint(server.asked); got != asked {
		t.Errorf("the server was asked %s, want %s", got, asked)
	}
	if got := fmt.Sprint(registry.Snapshot()); got != "[{seen counter what was seen map[model:m] 2 0 map[]}]" {
		t.Errorf("metrics %s", got)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if got := registry.Snapshot(); len(got) != 0 {
		t.Errorf("metrics of a process that has ended: %v", got)
	}
}

// What a model asks for in auto_complete_config is refused: there is no instance yet for which something could be kept.
func TestAsksInCompletion(t *testing.T) {
	const program = asksModel + `
    @staticmethod
    def auto_complete_config(config):
        for ask in (
            lambda: pb_utils.load_model("other"),
            lambda: pb_utils.is_model_ready("other"),
            lambda: pb_utils.MetricFamily(name="seen", description="", kind=pb_utils.MetricFamily.COUNTER),
        ):
            try:
                ask()
            except pb_utils.TritonModelException as error:
                assert "this is not possible in auto_complete_config" in str(error), error
            else:
                raise AssertionError("it was not refused")
        config.set_max_batch_size(3)
        return config
`
	cfg, err := newBackend(t).Complete(t.Context(), specOf(t, program, config(backendtest.Shape{})))
	if err != nil || cfg.MaxBatchSize != 3 {
		t.Errorf("%v, %v", cfg, err)
	}
}

// loadsMuch loads a model with files that are too large.
const loadsMuch = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        try:
            pb_utils.load_model("other", "{}", {"file:1/model.onnx": bytes((1023 << 20) + 1)})
        except pb_utils.TritonModelException as error:
            told = np.array([[str(error).encode()]], np.object_)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", told)]) for _ in requests]
`

// Files that do not fit into a message are refused, and the model that gives them goes on.
func TestLoadOfLargeFiles(t *testing.T) {
	spec := specOf(t, loadsMuch, flat(tensor.Bytes))
	server := &controlled{}
	spec.Server = server
	in, _ := load(t, spec)
	r, err := run(t, in, text("x"))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Outputs[0].Data); !strings.Contains(got, "the files have more than 1,072,693,248 bytes; put them into the repository instead") || len(server.asked) > 0 {
		t.Errorf("it was told %q, and the server asked %v", got, server.asked)
	}
}
