//go:build unix

package convert_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"conch/build/fulldisk"
	"conch/configedit/modelfile"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/backend/python/environments/wheeltest"
	"conch/engine/convert"
)

func TestMain(m *testing.M) {
	fulldisk.WithoutTestLog()
	if path, err := filepath.Abs("../../build/cache/venv/bin/python3"); err == nil {
		interpreter = path
		_ = os.Setenv(convert.InterpreterVariable, path)
	}
	status := m.Run()
	_ = os.RemoveAll(models)
	os.Exit(status)
}

// interpreter is the Python of the tests, which has onnx and onnxruntime.
var interpreter string

// python returns it where it is there.
func python(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat(interpreter); err != nil {
		t.Fatalf("these tests need a Python, which `make setup-test` installs: %v", err)
	}
	return interpreter
}

func tools(t *testing.T) *convert.Tools {
	t.Helper()
	made := &convert.Tools{Dir: t.TempDir()}
	made.Open()
	t.Cleanup(made.Close)
	return made
}

const digits = "../../examples/repository/digits/1/model.onnx"

// images are requests to the model of digits.
func images(count int) (list []convert.Request) {
	for n := range count {
		in := convert.Input{Name: "image", Datatype: "FP32", Shape: []int64{1, 64}}
		for i := range 64 {
			in.Raw = binary.LittleEndian.AppendUint32(in.Raw, math.Float32bits(float32((i*(n+3))%17)/16))
		}
		list = append(list, convert.Request{in})
	}
	return list
}

// run does a job and returns its folder, the report and the steps.
func run(t *testing.T, j convert.Job) (string, *convert.Report, []string, error) {
	t.Helper()
	j.Seconds, j.Name = 0.05, "model.onnx"
	dir := t.TempDir()
	var steps []string
	r, err := tools(t).Run(t.Context(), j, dir, func(e convert.Event) {
		text := e.Step + e.Log
		if strings.HasPrefix(text, "measuring") {
			text = fmt.Sprintf("%s %d of %d", text, e.Done, e.Of)
		}
		steps = append(steps, text)
	})
	return dir, r, steps, err
}

// A model becomes FP16 or INT8, is smaller, and the report says what that costs on the requests.
func TestConvert(t *testing.T) {
	python(t)
	for name, j := range map[string]convert.Job{
		"fp16": {Target: convert.FP16}, "int8": {Target: convert.INT8}, "dynamic": {Target: convert.INT8, Dynamic: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j.Model, j.Requests = digits, images(5)
			dir, r, steps, err := run(t, j)
			if err != nil {
				t.Fatalf("%v\n%s", err, strings.Join(steps, "\n"))
			}
			if r.Requests != 5 || len(r.Outputs) != 1 || r.Before.Median <= 0 || r.After.Median <= 0 || !strings.HasPrefix(r.Tool, "onnxruntime ") {
				t.Errorf("%+v", r)
			}
			d := r.Outputs[0].Difference
			if r.Outputs[0].Name != "probabilities" || d.Elements != 50 || d.Rows != 5 || d.Absolute == 0 || d.Absolute > 0.5 || d.Cosine < 0.9 || d.Cosine == 1 {
				t.Errorf("%+v", r.Outputs)
			}
			if r.BytesAfter == 0 || r.BytesAfter > r.BytesBefore*6/10 || r.BytesBefore != size(t, digits) || r.BytesAfter != size(t, filepath.Join(dir, convert.Made, "model.onnx")) {
				t.Errorf("%d bytes of %d", r.BytesAfter, r.BytesBefore)
			}
			if !slices.ContainsFunc(steps, func(step string) bool {
				return strings.HasPrefix(step, "measuring how long both models take ") && !strings.HasSuffix(step, " 0 of 0")
			}) {
				t.Errorf("how far the measuring is was not told: %q", steps)
			}
			calibrated := slices.Contains(steps, "calibrating on the requests")
			if calibrated != (name == "int8") {
				t.Errorf("calibrated: %v", calibrated)
			}
		})
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// onnxProgram makes models for the tests: a folder for each kind that argv names, in the folder that it names first.
const onnxProgram = `import sys, pathlib, numpy as np, onnx
from onnx import helper, numpy_helper, TensorProto
def make(kind, folder):
    folder.mkdir()
    path = str(folder / "model.onnx")
    w = np.random.default_rng(1).random((64, 256)).astype(np.float32)
    if kind in ("large", "nan"):
        w[0, 0] = {"large": 1e6, "nan": np.nan}[kind]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 64])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 256])
    domain = "somebody" if kind == "custom" else ""
    node = helper.make_node("MatMul" if kind != "custom" else "Wonder", ["x", "w"], ["y"], domain=domain)
    nodes, inputs, weights = [node], [x], [numpy_helper.from_array(w, "w")]
    if kind == "middle": # Exp(x) leaves FP16 and y does not
        nodes = [helper.make_node("Exp", ["x"], ["e"]), helper.make_node("Div", ["e", "e"], ["r"]), helper.make_node("MatMul", ["r", "w"], ["y"])]
    if kind == "inside": # a loop with a branch in it
        v = lambda name, kind=TensorProto.FLOAT, shape=("n", 64): helper.make_tensor_value_info(name, kind, shape)
        then = helper.make_graph([helper.make_node("Exp", ["t"], ["e"]), helper.make_node("Log", ["e"], ["l"])], "then", [], [v("l")])
        other = helper.make_graph([helper.make_node("Neg", ["t"], ["o"])], "other", [], [v("o")])
        body = helper.make_graph([helper.make_node("Tanh", ["a"], ["t"]), helper.make_node("If", ["c"], ["b"], then_branch=then, else_branch=other), helper.make_node("Identity", ["c"], ["d"])],
            "body", [v("i", TensorProto.INT64, []), v("c", TensorProto.BOOL, []), v("a")], [v("d", TensorProto.BOOL, []), v("b")])
        nodes = [helper.make_node("Loop", ["trips", "", "x"], ["z"], body=body), helper.make_node("MatMul", ["z", "w"], ["y"])]
        weights.append(numpy_helper.from_array(np.array(3), "trips"))
    if kind == "twice": # both branches have a weight of one name
        def branch(name):
            return helper.make_graph([helper.make_node("Mul", ["x", "k"], [name + "_out"])], name, [],
                [helper.make_tensor_value_info(name + "_out", TensorProto.FLOAT, ["n", 64])], [numpy_helper.from_array(np.ones(64, np.float32), "k")])
        nodes = [helper.make_node("If", ["yes"], ["z"], then_branch=branch("then"), else_branch=branch("other")), helper.make_node("MatMul", ["z", "w"], ["y"])]
        weights.append(numpy_helper.from_array(np.array(True), "yes"))
    if kind == "relu": # without weights
        nodes, weights = [helper.make_node("Relu", ["x"], ["y"])], []
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 64])
    functions = []
    if kind == "lstm": # ONNX Runtime has a quantized LSTM, of another name
        hidden = [numpy_helper.from_array(np.random.default_rng(2).random((1, 1024, size)).astype(np.float32), name) for name, size in (("wx", 64), ("wh", 256))]
        nodes = [helper.make_node("Unsqueeze", ["x", "first"], ["s"]), helper.make_node("LSTM", ["s", "wx", "wh"], ["", "h"], hidden_size=256), helper.make_node("Squeeze", ["h", "first"], ["y"])]
        weights = [*hidden, numpy_helper.from_array(np.array([0]), "first")]
    if kind == "function": # as exporters write a part of a program
        inside = [helper.make_node("Constant", [], ["k"], value_float=3.0), helper.make_node("Mul", ["a", "k"], ["b"])]
        functions = [helper.make_function("somebody", "Triple", ["a"], ["b"], inside, [helper.make_opsetid("", 17)])]
        nodes = [helper.make_node("Triple", ["x"], ["t"], domain="somebody"), helper.make_node("MatMul", ["t", "w"], ["y"])]
    outputs = [y]
    if kind == "labels": # the class of each row, as text
        names = helper.make_node("LabelEncoder", ["c"], ["label"], domain="ai.onnx.ml", keys_int64s=[0], values_strings=["zero"], default_string="Größe")
        nodes = [node, helper.make_node("ArgMax", ["y"], ["c"], axis=1, keepdims=0), names]
        outputs.append(helper.make_tensor_value_info("label", TensorProto.STRING, ["n"]))
    if kind == "alone":
        inputs, weights = [], weights + [numpy_helper.from_array(np.ones((1, 64), np.float32), "x")]
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("somebody", 1), helper.make_opsetid("ai.onnx.ml", 3)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=functions)
    beside = {"external": "weights.bin", "missing": "gone.bin"}.get(kind)
    onnx.save(model, path, save_as_external_data=beside is not None, location=beside, size_threshold=0)
    if kind == "missing":
        (folder / beside).unlink()
for kind in sys.argv[2:]:
    make(kind, pathlib.Path(sys.argv[1], kind))
`

// models is the folder with models of all kinds; "" before makeModels.
var models string

// makeModels has one process make them for all tests.
var makeModels = sync.OnceValue(func() (err error) {
	if models, err = os.MkdirTemp("", "convert-models-"); err != nil {
		return err
	}
	out, err := exec.Command(interpreter, "-c", onnxProgram, models, "plain", "large", "nan", "middle", "inside", "twice", "labels", "relu", "alone", "custom", "external", "missing", "lstm", "function").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

func makeModel(t *testing.T, kind string) string {
	t.Helper()
	python(t)
	if err := makeModels(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(models, kind, "model.onnx")
}

func rows(shape ...int64) []convert.Request {
	count := int64(1)
	for _, d := range shape {
		count *= d
	}
	return []convert.Request{{{Name: "x", Datatype: "FP32", Shape: shape, Raw: make([]byte, 4*count)}}}
}

// Outputs of text, such as the names of classes, are compared too.
func TestOutputsOfText(t *testing.T) {
	_, r, _, err := run(t, convert.Job{Target: convert.FP16, Model: makeModel(t, "labels"), Requests: rows(3, 64)})
	if err != nil || len(r.Outputs) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	if !slices.Contains(r.Notes, "onnxruntime's converter leaves these operators in FP32: 1 LabelEncoder.") {
		t.Errorf("%q", r.Notes)
	}
	if o := r.Outputs[1]; o.Datatype != "BYTES" || o.Trouble != "" || o.Difference.Elements != 3 || o.Difference.Equal != 3 {
		t.Errorf("%+v", o)
	}
}

// A model with external data is converted with it. Values that FP16 cannot hold are told.
func TestExternalDataAndLargeValues(t *testing.T) {
	for _, target := range []convert.Target{convert.FP16, convert.INT8} {
		_, r, _, err := run(t, convert.Job{Target: target, Model: makeModel(t, "external"), Requests: rows(2, 64)})
		if err != nil || r.BytesBefore < 64*256*4 || r.BytesAfter > r.BytesBefore*6/10 || r.Outputs[0].Difference.Elements != 512 {
			t.Errorf("%s: %+v, %v", target, r, err)
		}
		if r != nil && len(r.Notes) > 0 {
			t.Errorf("%s: %q", target, r.Notes)
		}
	}
	_, r, _, err := run(t, convert.Job{Target: convert.FP16, Model: makeModel(t, "large")})
	if err != nil || !strings.Contains(strings.Join(r.Notes, "\n"), "FP16 ends at 65504: larger values in 'w'") {
		t.Errorf("%+v, %v", r, err)
	}
}

// A model that cannot be converted ends in words that say why.
func TestRefusals(t *testing.T) {
	python(t)
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ints := file("ints.onnx", onnxtest.AddSub(16).Bytes())
	for want, j := range map[string]convert.Job{
		"cannot open the model as it is": {Target: convert.FP16, Model: file("text.onnx", []byte("no model"))},
		"Wonder":                         {Target: convert.FP16, Model: makeModel(t, "custom")},
		"gone.bin":                       {Target: convert.INT8, Model: makeModel(t, "missing")},
		"there is no ":                   {Target: convert.FP16, Model: filepath.Join(dir, "nothing")},
		"is no file: only models that are one ONNX file":                   {Target: convert.FP16, Model: dir},
		"the model has no operator 'Foo' that could stay in FP32; it has ": {Target: convert.FP16, Model: digits, Keep: []string{"Foo"}},
		"'relu' that could stay in FP32; did you mean Relu? It has ":       {Target: convert.FP16, Model: digits, Keep: []string{"relu"}},
		"'MatMull' that could stay in FP32; did you mean MatMul? It":       {Target: convert.FP16, Model: makeModel(t, "large"), Keep: []string{"MatMull"}},
		"weights in 'w' hold NaN, which INT8 does not have":                {Target: convert.INT8, Model: makeModel(t, "nan"), Requests: rows(1, 64)},
		"the model has no inputs, so there is nothing to calibrate on":     {Target: convert.INT8, Model: makeModel(t, "alone"), Requests: []convert.Request{{}}},
		"'fp8' is nothing that a model can be turned to":                   {Target: "fp8", Model: digits},
		"does not run a request: the model has no input 'x'":               {Target: convert.FP16, Model: digits, Requests: rows(1, 64)},
		"is does not run a request: Got invalid dimensions for input":      {Target: convert.INT8, Model: makeModel(t, "plain"), Requests: rows(1, 63)},
		"and there are several of 'k'":                                     {Target: convert.FP16, Model: makeModel(t, "twice"), Requests: rows(1, 64)},
		"nothing in this model is FP32":                                    {Target: convert.FP16, Model: file("i.onnx", onnxtest.Identity(6, 4).Bytes())},
		"nothing in this model can be turned to INT8: without":             {Target: convert.INT8, Model: ints},
		"TensorRT is not installed: ":                                      {Target: convert.TensorRT, Model: digits, Plan: &convert.Plan{Precision: "fp16"}},
		"say how TensorRT builds the plan":                                 {Target: convert.TensorRT, Model: digits},
		"requests are more than the 256 that a conversion takes":           {Target: convert.FP16, Model: digits, Requests: images(257)},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			if _, _, steps, err := run(t, j); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v\nwant %s\n%s", err, want, strings.Join(steps, "\n"))
			}
		})
	}
	if _, r, _, err := run(t, convert.Job{Target: convert.FP16, Model: makeModel(t, "plain"), Requests: rows(1, 64)}); err != nil {
		t.Fatal(err)
	} else if !math.IsNaN(r.Outputs[0].Difference.Cosine) {
		t.Errorf("%+v", r.Outputs)
	}
}

// Weights that a model names elsewhere than beside itself are not read, whatever version the tools have, and no tool is started.
func TestWeightsElsewhere(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, make([]byte, 8), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, location := range map[string]string{"absolute": secret, "up": "../secret", "link": "weights.bin", "beside": "here.bin"} {
		dir := t.TempDir()
		m := onnxtest.Model{
			Inputs:       []onnxtest.Value{{Name: "X", Type: onnxtest.Int32, Dims: onnxtest.Dims(2)}},
			Outputs:      []onnxtest.Value{{Name: "Y", Type: onnxtest.Int32, Dims: onnxtest.Dims(2)}},
			Initializers: []onnxtest.Initializer{{Name: "W", Type: onnxtest.Int32, Dims: []int64{2}, External: location}},
			Nodes:        []onnxtest.Node{{Op: "Add", Inputs: []string{"X", "W"}, Outputs: []string{"Y"}}},
		}
		path := filepath.Join(dir, "model.onnx")
		err := errors.Join(os.WriteFile(path, m.Bytes(), 0o600), os.WriteFile(filepath.Join(dir, "here.bin"), make([]byte, 8), 0o600), os.Symlink(secret, filepath.Join(dir, "weights.bin")))
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range []convert.Target{convert.FP16, convert.TensorRT} {
			_, _, steps, err := run(t, convert.Job{Target: target, Model: path, Plan: &convert.Plan{Precision: "fp16"}})
			refused := err != nil && strings.Contains(err.Error(), "so they are not read")
			if refused != (name != "beside") || refused && len(steps) > 0 {
				t.Errorf("%s to %s: %v, %v", name, target, err, steps)
			}
		}
	}
}

// What is converted once is not converted again.
func TestConvertedAlready(t *testing.T) {
	python(t)
	const hint = "onvert the FP32 version that it was made of"
	for target, want := range map[convert.Target]map[convert.Target]string{
		convert.FP16: {convert.FP16: "the model is FP16 already", convert.INT8: "the model is FP16, and INT8 is made of FP32"},
		convert.INT8: {convert.INT8: "the model is quantized already, by ", convert.FP16: "the model is INT8 already, by DequantizeLinear, QuantizeLinear, and does not become FP16"},
	} {
		dir, _, _, err := run(t, convert.Job{Target: target, Model: digits, Requests: images(2)})
		if err != nil {
			t.Fatal(err)
		}
		made := filepath.Join(dir, convert.Made, "model.onnx")
		if got := modelfile.Narrowed(made); got != strings.ToUpper(string(target)) {
			t.Errorf("what became %s is taken for %q", target, got)
		}
		for again, words := range want {
			_, _, _, err := run(t, convert.Job{Target: again, Model: made})
			if err == nil || !strings.HasPrefix(err.Error(), words) || !strings.HasSuffix(err.Error(), hint) {
				t.Errorf("%s to %s: %v", target, again, err)
			}
		}
	}
}

// What became FP16 is known as such also where it has no weights, and where its weights stay FP32.
func TestHalfWithoutHalfWeights(t *testing.T) {
	for kind, keep := range map[string][]string{"relu": nil, "middle": {"MatMul"}} {
		model := makeModel(t, kind)
		if got := modelfile.Narrowed(model); got != "" {
			t.Errorf("%s is taken for %q", kind, got)
		}
		dir, _, _, err := run(t, convert.Job{Target: convert.FP16, Model: model, Keep: keep, Requests: rows(1, 64)})
		if err != nil {
			t.Fatal(err)
		}
		made := filepath.Join(dir, convert.Made, "model.onnx")
		if got := modelfile.Narrowed(made); got != "FP16" {
			t.Errorf("what became FP16 of %s is taken for %q", kind, got)
		}
		for target, want := range map[convert.Target]string{convert.FP16: "the model is FP16 already", convert.INT8: "the model is FP16, and INT8 is made of FP32"} {
			if _, _, _, err := run(t, convert.Job{Target: target, Model: made, Requests: rows(1, 64)}); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s to %s: %v", kind, target, err)
			}
		}
	}
}

// A converter that is killed is not a model at fault: people are told that memory may have run out, and what to do.
func TestConverterIsKilled(t *testing.T) {
	for script, want := range map[string]string{
		"kill -KILL $$": "the converter's process was stopped in the middle of its work (signal: killed), by a person, or by the system because memory ran out. Nothing was made. Close ",
		"kill -ABRT $$": "the converter's process failed in the middle of its work (signal: aborted",
	} {
		killed := filepath.Join(t.TempDir(), "python")
		// The tools ask this Python for its packages, which the real one answers.
		text := "#!/bin/sh\nulimit -c 0\ncase \"$*\" in *code-*) " + script + ";; esac\nexec " + python(t) + " \"$@\"\n"
		if err := os.WriteFile(killed, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv(convert.InterpreterVariable, killed)
		if _, _, _, err := run(t, convert.Job{Target: convert.FP16, Model: digits}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", script, err)
		}
	}
}

// A cancelled job ends its process at once.
func TestCancel(t *testing.T) {
	python(t)
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	j := convert.Job{Target: convert.FP16, Model: digits, Name: "model.onnx", Requests: images(2), Seconds: 600}
	_, err := tools(t).Run(ctx, j, dir, func(e convert.Event) {
		if strings.HasPrefix(e.Step, "measuring") {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

// A disk without space ends in words, and not in the middle of a sentence of Python's.
func TestFullDisk(t *testing.T) {
	path := makeModel(t, "plain")
	dir := t.TempDir()
	tool := tools(t)
	if _, err := tool.Python(t.Context()); err != nil {
		t.Fatal(err)
	}
	undo := fulldisk.LimitFiles(t, 30_000)
	_, err := tool.Run(t.Context(), convert.Job{Target: convert.FP16, Model: path, Name: "model.onnx"}, dir, func(convert.Event) {})
	undo()
	if err == nil || !strings.Contains(err.Error(), "the disk is full: free some space where Conch keeps its files") {
		t.Errorf("%v", err)
	}
}

// lendPip gives an environment the pip of this machine, where there is one: without it, pip is written into each environment that is made, which takes
// ten seconds.
func lendPip(t *testing.T, environment string) {
	t.Helper()
	out, err := exec.Command("python3", "-c", "import os, pip; print(os.path.dirname(pip.__path__[0]))").Output()
	packages, _ := filepath.Glob(filepath.Join(environment, "lib", "python3*", "site-packages"))
	if err != nil || len(packages) != 1 {
		return
	}
	parts, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "pip*"))
	for _, part := range parts {
		if err := os.Symlink(part, filepath.Join(packages[0], filepath.Base(part))); err != nil {
			t.Fatal(err)
		}
	}
}

// Packages come only when asked, from the index that pip is set to, and no package without the pinned hash.
func TestInstallIsPinned(t *testing.T) {
	python(t)
	bare := filepath.Join(t.TempDir(), "bare")
	if out, err := exec.Command("python3", "-m", "venv", "--without-pip", bare).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lendPip(t, bare)
	t.Setenv(convert.InterpreterVariable, filepath.Join(bare, "bin", "python3"))
	index := wheeltest.New(t)
	index.Add(t, "onnx", "1.23.2", map[string]string{"onnx.py": ""})
	tool := tools(t)
	if _, err := tool.Python(t.Context()); !errors.Is(err, convert.ErrNotInstalled) || !strings.Contains(err.Error(), "lacks onnx, onnxruntime") {
		t.Errorf("before: %v", err)
	}
	err := tool.Install(t.Context(), func(string) {})
	if err == nil {
		t.Error("a package without the pinned hash was installed")
	}
	if left, _ := filepath.Glob(filepath.Join(tool.Dir, "*", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if list := strings.Join(convert.Packages(), " "); !strings.Contains(list, "onnx==1.23.2") || !strings.Contains(list, "onnxruntime==1.30.0") {
		t.Errorf("the packages are %s", list)
	}
}
