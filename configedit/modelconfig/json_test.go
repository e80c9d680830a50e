package modelconfig_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/configedit/modelconfig"
)

const jsonText = `name: "m"
max_batch_size: 4
input { name: "a" data_type: TYPE_FP32 dims: [ -1, 9007199254740993 ] }
output { name: "o" data_type: 99 }
optimization { cuda { graph_spec { batch_size: 1 input { key: "x" value { dim: 3 } } } } }
sequence_batching { max_sequence_idle_microseconds: 5 direct { minimum_slot_utilization: nan } state { initial_state { dims: 1 zero_data: false } } }
instance_group { kind: KIND_GPU secondary_devices { device_id: 1 } }
parameters { key: "b<" value { string_value: "é\n" } }
parameters { key: "a" }
`

const jsonWant = `{"name":"m","platform":"","backend":"","runtime":"","max_batch_size":4,` +
	`"input":[{"name":"a","data_type":"TYPE_FP32","format":"FORMAT_NONE","dims":[-1,9007199254740993],` +
	`"is_shape_tensor":false,"allow_ragged_batch":false,"optional":false,"is_non_linear_format_io":false}],` +
	`"output":[{"name":"o","data_type":99,"dims":[],"label_filename":"","is_shape_tensor":false,"is_non_linear_format_io":false}],` +
	`"batch_input":[],"batch_output":[],` +
	`"optimization":{"priority":"PRIORITY_DEFAULT","cuda":{"graphs":false,"busy_wait_events":false,` +
	`"graph_spec":[{"batch_size":1,"input":{"x":{"dim":["3"]}}}],"output_copy_stream":false},` +
	`"gather_kernel_buffer_threshold":0,"eager_batching":false},` +
	`"sequence_batching":{"direct":{"max_queue_delay_microseconds":0,"minimum_slot_utilization":"NaN"},` +
	`"max_sequence_idle_microseconds":5,"control_input":[],"state":[{"input_name":"","output_name":"",` +
	`"data_type":"TYPE_INVALID","dims":[],"initial_state":[{"data_type":"TYPE_INVALID","dims":["1"],"name":"","zero_data":false}],` +
	`"use_same_buffer_for_input_output":false,"use_growable_memory":false}],"iterative_sequence":false},` +
	`"instance_group":[{"name":"","kind":"KIND_GPU","count":0,"gpus":[],` +
	`"secondary_devices":[{"kind":"KIND_NVDLA","device_id":"1"}],"profile":[],"passive":false,"host_policy":""}],` +
	`"default_model_filename":"","cc_model_filenames":{},"metric_tags":{},` +
	`"parameters":{"a":{"string_value":""},"b<":{"string_value":"é\n"}},"model_warmup":[]}`

func TestMarshalJSON(t *testing.T) {
	d, list := modelconfig.Parse("config.pbtxt", []byte(jsonText))
	if len(list) > 0 {
		t.Fatal(list)
	}
	got, err := modelconfig.MarshalJSON(d.Config)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != jsonWant {
		t.Errorf("got\n%s\nwant\n%s", got, jsonWant)
	}
	d.Config.GetSequenceBatching().GetDirect().MinimumSlotUtilization = 0.5 // NaN is unequal to itself
	text, err := modelconfig.MarshalJSON(d.Config)
	if err != nil {
		t.Fatal(err)
	}
	back, err := modelconfig.UnmarshalJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(back, d.Config) {
		t.Errorf("comes back as %v", back)
	}
}

func TestPrintTextComesBack(t *testing.T) {
	d, _ := modelconfig.Parse("config.pbtxt", []byte(jsonText))
	d.Config.GetSequenceBatching().GetDirect().MinimumSlotUtilization = 0.1
	back, list := modelconfig.Parse("printed", modelconfig.PrintText(d.Config))
	if len(list) > 0 || !proto.Equal(back.Config, d.Config) {
		t.Errorf("%v\n%s", list, modelconfig.PrintText(d.Config))
	}
}

func TestUnmarshalJSON(t *testing.T) {
	good := map[string]*modelconfig.ModelConfig{
		`{}`:                                 {},
		`{"maxBatchSize": 4}`:                {MaxBatchSize: 4},
		`{"max_batch_size": "4", "x": null}`: nil,
		`{"max_batch_size": 4, "max_batch_size": 8.0}`: {MaxBatchSize: 8},
		`{"input": [{"data_type": "type_fp32", "dims": ["1", 2]}]}`: {
			Input: []*modelconfig.ModelInput{{DataType: modelconfig.DataType_TYPE_FP32, Dims: []int64{1, 2}}}},
		`{"metric_tags": {"a": "b"}, "name": null}`: {MetricTags: map[string]string{"a": "b"}},
	}
	for data, want := range good {
		got, err := modelconfig.UnmarshalJSON([]byte(data))
		if want != nil && (err != nil || !proto.Equal(got, want)) {
			t.Errorf("%s: %v, %v", data, got, err)
		}
	}
	for data, want := range map[string]string{
		`{"foo": 1}`:                        "foo: Cannot find field.",
		`{"input": [{"datatype": 1}]}`:      "(input[0]) datatype: Cannot find field.",
		`{"max_batch_size": "x"}`:           `(max_batch_size): invalid value "x" for type TYPE_INT32`,
		`[]`:                                ": Root element must be a message.",
		``:                                  "Unexpected end of string. Expected a value.\n\n^",
		`{"input": [{"data_type": "FOO"}]}`: `(input[0].data_type): invalid value "FOO" for type inference.DataType`,
	} {
		if _, err := modelconfig.UnmarshalJSON([]byte(data)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", data, err, want)
		}
	}
}
