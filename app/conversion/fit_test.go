package conversion_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/api"
	"conch/app/conversion"
	"conch/app/runtimecmd"
	"conch/configedit/modelconfig"
	"conch/engine/backend/onnx/onnxtest"
)

// fitting is a model whose file takes x and s, and may be given w.
func fitting(t *testing.T) conversion.Source {
	t.Helper()
	source, err := model(t, onnx, "1/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	m := onnxtest.Model{
		Inputs: []onnxtest.Value{
			{Name: "x", Type: onnxtest.Float, Dims: onnxtest.Dims(-1, 2)}, {Name: "s", Type: onnxtest.String, Dims: onnxtest.Dims(1)},
			{Name: "w", Type: onnxtest.Int32, Dims: onnxtest.Dims(2)},
		},
		Outputs:      []onnxtest.Value{{Name: "y", Type: onnxtest.Float, Dims: onnxtest.Dims(-1, 2)}},
		Initializers: []onnxtest.Initializer{{Name: "w", Type: onnxtest.Int32, Dims: []int64{2}, Raw: make([]byte, 8)}},
		Nodes:        []onnxtest.Node{{Op: "Identity", Inputs: []string{"x"}, Outputs: []string{"y"}}},
	}
	if err := os.WriteFile(filepath.Join(source.Versions[0].Dir, "model.onnx"), m.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return source
}

// A request that the model does not take is told before the work begins: of which file, which one it is, and what its input should be.
func TestRequestsThatDoNotFit(t *testing.T) {
	source := fitting(t)
	const (
		x = `{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2]}`
		s = `{"name":"s","datatype":"BYTES","shape":[1],"data":["a"]}`
		w = `{"name":"w","datatype":"INT32","shape":[2],"data":[1,2]}`
	)
	request := func(inputs ...string) string { return `{"inputs":[` + strings.Join(inputs, ",") + `]}` }
	file := filepath.Join(t.TempDir(), "requests.json")
	read := func(text string, fits func(*api.InferRequest) error) ([]*api.InferRequest, error) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return conversion.ReadRequests([]string{file}, fits)
	}
	good := request(x, s)
	for bad, want := range map[string]string{
		good:             "",
		request(s, x, w): "",
		request(strings.Replace(x, "[1,2]", "[2]", 1), s):   `input "x" has shape [2], and the model takes [-1,2]`,
		request(strings.Replace(x, "[1,2]", "[2,1]", 1), s): `input "x" has shape [2,1], and the model takes [-1,2]`,
		request(strings.Replace(x, "FP32", "FP64", 1), s):   `input "x" is FP64, and the model takes FP32`,
		request(x, strings.Replace(s, `"s"`, `"z"`, 1)):     `the model has no input "z", it takes "x", "s"`,
		request(x):    `input "s" is missing`,
		request(x, w): `input "s" is missing`,
	} {
		_, err := read("["+good+","+bad+"]", source.Fits(source.Versions[0], nil))
		if want != "" {
			want = file + ": request 2 does not fit the model: " + want
		}
		if got := text(err); got != want {
			t.Errorf("%s:\n%s, want\n%s", bad, got, want)
		}
	}
	// Those of the window and of the history are told by their number.
	list, err := read("["+good+","+request(x)+"]", anything)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"fp16", "int8", conversion.Plan} {
		o := conversion.Order{Source: source, ConversionOrder: &api.ConversionOrder{Target: target, Requests: list}}
		jobs := &conversion.Jobs{Program: runtimecmd.Program(filepath.Join(t.TempDir(), "none")), Dir: t.TempDir()}
		_, err = jobs.Run(t.Context(), o, func(*api.ConversionEvent) error { return nil })
		if text(err) != `request 2 of 2 does not fit version 1 of m: input "s" is missing` || !errors.Is(err, conversion.ErrUnfit) {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// A request whose inputs have different batches is refused, as Triton would refuse it. Without a batch in the config the first sizes may differ.
func TestRequestsOfTwoBatches(t *testing.T) {
	source := fitting(t)
	sized := func(name, kind string, shape ...int64) *api.InferInput {
		return &api.InferInput{Name: name, Datatype: kind, Shape: shape}
	}
	r := &api.InferRequest{Inputs: []*api.InferInput{sized("x", "FP32", 2, 2), sized("s", "BYTES", 1)}}
	for most, want := range map[int32]string{
		0: "",
		4: `input "s" has a batch of 1, and input "x" one of 2: all inputs of a request have the same`,
	} {
		source.Config = &modelconfig.ModelConfig{MaxBatchSize: most, Input: []*modelconfig.ModelInput{{Name: "x"}, {Name: "s"}}}
		if got := text(source.Fits(source.Versions[0], nil)(r)); got != want {
			t.Errorf("max_batch_size %d: %q, want %q", most, got, want)
		}
	}
}

// An empty list of requests is told: nobody means to compare nothing.
func TestNoRequestIsWritten(t *testing.T) {
	if _, err := conversion.ParseRequests("What is written here", []byte(" [] ")); text(err) != "What is written here has no request: the list is empty" {
		t.Error(err)
	}
}

// A file that cannot be read says nothing of its inputs: the tools say what is wrong with it.
func TestRequestsOfADamagedModel(t *testing.T) {
	source := fitting(t)
	if err := os.WriteFile(filepath.Join(source.Versions[0].Dir, "model.onnx"), []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := source.Fits(source.Versions[0], nil)(&api.InferRequest{Inputs: []*api.InferInput{{Name: "z"}}}); err != nil {
		t.Error(err)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
