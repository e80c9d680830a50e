package derive_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"

	"conch/build/golden"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
)

// A case has the sections
//
//	config    a config as text, or "none"
//	facts     lines "model m", "files a b/", "auto off", "gpus 0 1", "no-gpus WHY", "default-max-batch-size 8"
//	          and the model: "input X FP32 [-1,16]", "optional …", "output …"; "saved" behind them: of a saved model; "openvino"
//	want      what comes out
type situation struct{ *golden.Case }

func (c situation) config(t *testing.T) *modelconfig.ModelConfig {
	t.Helper()
	text := c.Text(t, "config")
	if strings.TrimSpace(text) == "none" {
		return nil
	}
	cfg := &modelconfig.ModelConfig{}
	if err := prototext.Unmarshal([]byte(text), cfg); err != nil {
		t.Fatalf("the case's config: %v", err)
	}
	return cfg
}

func (c situation) facts(t *testing.T) derive.Facts {
	t.Helper()
	facts := derive.Facts{ModelName: "m", AutoComplete: true}
	for line := range strings.Lines(c.Text(t, "facts")) {
		if words := strings.Fields(line); len(words) > 0 {
			addFact(t, &facts, words)
		}
	}
	return facts
}

func addFact(t *testing.T, facts *derive.Facts, words []string) {
	t.Helper()
	rest := words[1:]
	switch words[0] {
	case "model":
		facts.ModelName = rest[0]
	case "files":
		for _, name := range rest {
			plain, dir := strings.CutSuffix(name, "/")
			facts.Files = append(facts.Files, derive.File{Name: plain, Dir: dir})
		}
	case "openvino": // the tensors above are those of an OpenVINO model, with a layout that has a batch where it says so
		batches := len(rest) > 0 && rest[0] == "batches"
		facts.OpenVINO, facts.ONNX = &modelfile.OpenVINO{Inputs: facts.ONNX.Inputs, Outputs: facts.ONNX.Outputs, Batches: batches}, nil
	case "saved": // the tensors above are those of a saved model's signature
		serving := modelfile.SavedSignature{Name: "serving_default", Inputs: facts.ONNX.Inputs, Outputs: facts.ONNX.Outputs}
		graph := modelfile.SavedGraph{Tags: []string{"serve"}, Signatures: []modelfile.SavedSignature{serving}}
		facts.SavedModel, facts.ONNX = &modelfile.SavedModel{Graphs: []modelfile.SavedGraph{graph}}, nil
	case "auto":
		facts.AutoComplete = rest[0] != "off"
	case "gpus":
		for _, gpu := range rest {
			facts.GPUs = append(facts.GPUs, int32(atoi(t, gpu)))
		}
	case "no-gpus":
		facts.NoGPUs = strings.Join(rest, " ")
	case "default-max-batch-size":
		n := int32(atoi(t, rest[0]))
		facts.DefaultMaxBatchSize = &n
	default:
		addTensor(t, facts, words)
	}
}

func addTensor(t *testing.T, facts *derive.Facts, words []string) {
	t.Helper()
	if facts.ONNX == nil {
		facts.ONNX = &modelfile.ONNX{}
	}
	list := map[string]*[]modelfile.Tensor{
		"input": &facts.ONNX.Inputs, "output": &facts.ONNX.Outputs, "overridable": &facts.ONNX.Overridable,
	}[words[0]]
	if list == nil || len(words) < 3 {
		t.Fatalf("unknown fact %q", words)
	}
	tensor := modelfile.Tensor{Name: words[1], Kind: modelfile.TensorKind}
	if words[2] == "SEQUENCE" {
		tensor.Kind = modelfile.SequenceKind
	}
	tensor.Type = modelconfig.DataType(modelconfig.DataType_value["TYPE_"+words[2]])
	if len(words) > 3 {
		tensor.Shaped = true
		for _, d := range strings.FieldsFunc(words[3], func(r rune) bool { return strings.ContainsRune("[],", r) }) {
			tensor.Dims = append(tensor.Dims, modelfile.Dim{Size: int64(atoi(t, d))})
		}
	}
	*list = append(*list, tensor)
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// show prints a config in a form that does not vary, which prototext's does.
func show(t *testing.T, cfg *modelconfig.ModelConfig) string {
	t.Helper()
	data, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	showValue(&b, "", value)
	return b.String()
}

// showValue prints one line for each leaf: "input.0.name: X".
func showValue(b *strings.Builder, path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		keys := make([]string, 0, len(value))
		for key := range value {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			showValue(b, path+"."+key, value[key])
		}
		if len(keys) == 0 {
			fmt.Fprintf(b, "%s {}\n", strings.TrimPrefix(path, "."))
		}
	case []any:
		for i, element := range value {
			showValue(b, fmt.Sprintf("%s.%d", path, i), element)
		}
	default:
		fmt.Fprintf(b, "%s: %v\n", strings.TrimPrefix(path, "."), value)
	}
}

func showPath(path []any) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = fmt.Sprint(p)
	}
	return strings.Join(parts, ".")
}
