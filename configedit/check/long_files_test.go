package check_test

import (
	"fmt"
	"testing"

	"conch/configedit/check"
	"conch/configedit/check/checktest"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
)

// TestLongListsAgainstFiles holds long lists of what the model file does not have, or has otherwise, against it: the work grows as the list does.
func TestLongListsAgainstFiles(t *testing.T) {
	const n = 500
	for name, format := range map[string]string{
		"unknown inputs":  `input { name: "i%d" data_type: TYPE_INT32 dims: 1 } `,
		"unknown outputs": `output { name: "o%d" data_type: TYPE_INT32 dims: 1 } `,
		"wrong types":     `input { name: "a%d" data_type: TYPE_INT8 dims: 1 } `,
		"wrong dims":      `input { name: "a%d" data_type: TYPE_INT32 dims: [ 2, 3 ] } `,
		"optional inputs": `max_batch_size: 2 input { name: "a%d" data_type: TYPE_INT32 dims: 1 optional: true } `,
		"ragged inputs":   `input { name: "i%d" data_type: TYPE_INT32 dims: 1 allow_ragged_batch: true } `,
		"batch inputs":    `batch_input { kind: BATCH_ELEMENT_COUNT target_name: "b%d" data_type: TYPE_INT32 source_input: "a0" } `,
		"batch outputs":   `output { name: "o%d" data_type: TYPE_INT32 dims: 1 } batch_output { target_name: "o%[1]d" kind: BATCH_SCATTER_WITH_INPUT_SHAPE source_input: "a0" } `,
		"controls":        `sequence_batching { control_input { name: "c%d" control { int32_false_true: [ 0, 1 ] } } } `,
		"states":          `sequence_batching { state { input_name: "s%d" output_name: "t%[1]d" data_type: TYPE_INT32 dims: 1 } } `,
		"warm-up":         `model_warmup { name: "w%d" inputs { key: "x%[1]d" value { data_type: TYPE_INT32 dims: 1 zero_data: true } } } `,
		"metadata":        `parameters { key: "p%d" value { string_value: "x" } } `,
		"versions":        `version_policy { specific { versions: %d } } `,
		"groups":          `instance_group { count: 1 kind: KIND_CPU name: "g%d" } `,
	} {
		for backend, facts := range fileFacts {
			t.Run(backend+", "+name, func(t *testing.T) {
				checktest.Linear(t, n, func(count int) func() {
					decoded, syntax := modelconfig.Parse("config.pbtxt", []byte(fmt.Sprintf("backend: %q ", backend)+each(count, format)))
					m := &check.Model{Name: "m", Decoded: decoded, Syntax: syntax, Effective: decoded.Config, Facts: facts(count)}
					return func() {
						if list := check.Check(m, nil); len(list) > 500 {
							t.Errorf("%d diagnostics; nobody reads so many", len(list))
						}
					}
				})
			})
		}
	}
}

// fileFacts are what the files of models with so many inputs tell.
var fileFacts = map[string]func(count int) derive.Facts{
	"onnxruntime": func(count int) derive.Facts {
		return derive.Facts{ModelName: "m", ONNX: &modelfile.ONNX{Inputs: fileTensors(count), Outputs: fileTensors(1)}}
	},
	"tensorflow": func(count int) derive.Facts {
		signature := modelfile.SavedSignature{Name: "serving_default", Inputs: fileTensors(count), Outputs: fileTensors(1)}
		return derive.Facts{ModelName: "m", SavedModel: &modelfile.SavedModel{
			Graphs: []modelfile.SavedGraph{{Tags: []string{"serve"}, Signatures: []modelfile.SavedSignature{signature}}},
		}}
	},
	"pytorch": func(count int) derive.Facts {
		torch := &modelfile.TorchScript{Known: true, Forward: true, Returns: "Tensor"}
		for i := range count {
			torch.Arguments = append(torch.Arguments, modelfile.Argument{Name: fmt.Sprintf("a%d", i), Type: "Tensor"})
		}
		return derive.Facts{ModelName: "m", Torch: torch}
	},
	"tensorrt": func(int) derive.Facts { return derive.Facts{ModelName: "m"} },
}

func fileTensors(count int) []modelfile.Tensor {
	list := make([]modelfile.Tensor, count)
	for i := range list {
		list[i] = modelfile.Tensor{
			Name: fmt.Sprintf("a%d", i), Kind: modelfile.TensorKind, Type: modelconfig.DataType_TYPE_INT32, Shaped: true, Dims: []modelfile.Dim{{Size: 1}},
		}
	}
	return list
}
