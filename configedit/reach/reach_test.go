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
	code := "[{model_operations.op_library_filename libops.so} {model_operations.op_library_filename 1/ops.so}"
	if got := fmt.Sprint(reach.Code(decoded.Config)); got != code+"]" {
		t.Errorf("code: %s", got)
	}
	want := code + ` {parameters["TRITON_BATCH_STRATEGY_PATH"] /opt/strategy.so} {default_model_filename ../../other/1/model.onnx}` +
		` {cc_model_filenames ../../../model.plan} {model_warmup.inputs.input_data_file ../../secret}` +
		` {sequence_batching.state.initial_state.data_file a/../../../secret}]`
	if got := fmt.Sprint(reach.Outside(decoded.Config)); got != want {
		t.Errorf("outside: %s\nwant %s", got, want)
	}
	if got := reach.Outside(&modelconfig.ModelConfig{}); len(got) > 0 {
		t.Errorf("of nothing: %v", got)
	}
}
