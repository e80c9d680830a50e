package reach_test

import (
	"fmt"
	"testing"

	"conch/configedit/modelconfig"
	"conch/configedit/reach"
)

func TestReach(t *testing.T) {
	decoded, found := modelconfig.Parse("config.pbtxt", []byte(`
default_model_filename: "../../other/1/model.onnx"
cc_model_filenames { key: "7.5" value: "../2/model.plan" }
cc_model_filenames { key: "8.0" value: "../../../model.plan" }
optimization { execution_accelerators {
  gpu_execution_accelerator { name: "tensorrt"
    parameters { key: "trt_extra_plugin_lib_paths" value: "plugin.so" }
    parameters { key: "trt_engine_cache_path" value: "cache" }
    parameters { key: "max_workspace_size_bytes" value: "1" } }
  cpu_execution_accelerator { name: "openvino"
    parameters { key: "Cache_Dir" value: "c" } parameters { key: "device_type" value: "CPU" } parameters { key: "novel" value: "../x" } } } }
model_operations { op_library_filename: ["libops.so", "1/ops.so"] }
parameters { key: "TRITON_BATCH_STRATEGY_PATH" value { string_value: "/opt/strategy.so" } }
model_warmup { name: "w" batch_size: 1
  inputs { key: "A" value { data_type: TYPE_FP32 dims: 1 input_data_file: "../labels.txt" } }
  inputs { key: "B" value { data_type: TYPE_FP32 dims: 1 input_data_file: "/etc/passwd" } }
  inputs { key: "C" value { data_type: TYPE_FP32 dims: 1 input_data_file: "../../secret" } } }
sequence_batching { state { input_name: "S" output_name: "T" initial_state { name: "s" data_file: "a/../../../secret" } } }
`))
	if len(found) > 0 {
		t.Fatal(found)
	}
	code := "[{model_operations.op_library_filename libops.so} {model_operations.op_library_filename 1/ops.so}" +
		` {execution_accelerators.parameters["trt_extra_plugin_lib_paths"] plugin.so}`
	if got := fmt.Sprint(reach.Code(decoded.Config)); got != code+"]" {
		t.Errorf("code: %s", got)
	}
	want := code + ` {parameters["TRITON_BATCH_STRATEGY_PATH"] /opt/strategy.so} {execution_accelerators.parameters["trt_engine_cache_path"] cache}` +
		` {execution_accelerators.parameters["Cache_Dir"] c} {execution_accelerators.parameters["novel"] ../x} {default_model_filename ../../other/1/model.onnx}` +
		` {cc_model_filenames ../../../model.plan} {model_warmup.inputs.input_data_file ../../secret}` +
		` {sequence_batching.state.initial_state.data_file a/../../../secret}]`
	if got := fmt.Sprint(reach.Outside(decoded.Config)); got != want {
		t.Errorf("outside: %s\nwant %s", got, want)
	}
	if got := reach.Outside(&modelconfig.ModelConfig{}); len(got) > 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// A Python model is a program. A config that is sent chooses neither another program nor the interpreter.
func TestReachOfPrograms(t *testing.T) {
	for text, want := range map[string][2]string{
		`backend: "python"`: {"[{backend model.py}]", "[]"},
		`backend: "python" default_model_filename: "tool.py"`:                                             {"[{backend tool.py}]", "[{default_model_filename tool.py}]"},
		`backend: "python" parameters { key: "EXECUTION_ENV_PATH" value { string_value: "env.tar.gz" } }`: {"[{backend model.py}]", `[{parameters["EXECUTION_ENV_PATH"] env.tar.gz}]`},
		`backend: "pytorch"`:                     {"[{default_model_filename model.pt}]", "[]"},
		`backend: "pytorch" runtime: "model.py"`: {"[{backend model.py}]", "[]"},
		`backend: "pytorch" runtime: "model.py" default_model_filename: "tool.py"`:                    {"[{backend tool.py}]", "[{default_model_filename tool.py}]"},
		`backend: "openvino" parameters { key: "CPU_EXTENSION_PATH" value { string_value: "x.so" } }`: {"[{default_model_filename model.xml}]", `[{parameters["CPU_EXTENSION_PATH"] x.so}]`},
		`backend: "fastertransformer" parameters { key: "model_checkpoint_path" value { string_value: "neighbour/1/t5" } }`: {
			"[{default_model_filename checkpoint}]", `[{parameters["model_checkpoint_path"] neighbour/1/t5}]`,
		},
		`platform: "tensorflow_graphdef" backend: "tensorflow" parameters { key: "TF_INIT_OPS_FILE" value { string_value: "../x" } }`: {
			"[{default_model_filename model.graphdef}]", `[{parameters["TF_INIT_OPS_FILE"] ../x}]`,
		},
		`backend: "onnxruntime" default_model_filename: "model.py"`: {"[]", "[]"},
		`backend: "adding"`: {"[{own backend adding}]", "[]"},
		`backend: "fil"`:    {"[{own backend fil}]", "[]"}, // a backend of Triton's that Conch has not
	} {
		decoded, _ := modelconfig.Parse("config.pbtxt", []byte(text))
		if code, outside := fmt.Sprint(reach.Code(decoded.Config)), fmt.Sprint(reach.Outside(decoded.Config)); code != want[0] || outside != want[1] {
			t.Errorf("%s: code %s, outside %s; want %s", text, code, outside, want)
		}
	}
	for file, want := range map[reach.File]string{
		{Field: "backend", Path: "model.py"}:                          "runs code of its own, the program 'model.py'",
		{Field: "own backend", Path: "adding"}:                        "runs on the backend 'adding', which is none of Conch's and can run code of the model",
		{Field: "default_model_filename", Path: "model.plan"}:         "has the model file 'model.plan', which can run code",
		{Field: "model_operations.op_library_filename", Path: "x.so"}: "runs code of its own, the library 'x.so' (model_operations.op_library_filename)",
	} {
		if got := file.Opens(); got != want {
			t.Errorf("%v: %s", file, got)
		}
	}
}

// A backend that copies its inputs opens nothing of a repository.
func TestIdentityRunsNoCode(t *testing.T) {
	if code := reach.Code(&modelconfig.ModelConfig{Backend: "identity"}); len(code) != 0 {
		t.Errorf("%v", code)
	}
}
