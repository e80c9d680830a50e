package onnx_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"conch/engine/backend/onnx"
)

// The old parameters of a model have priority, and the device is the instance's, as in Triton. CUDA graphs are left out of a session
// that makes none.
func TestCUDASettings(t *testing.T) {
	got, err := onnx.CUDASettings(onnx.AcceleratorUse{
		Device: 2, Parameters: map[string]string{"device_id": "7", "gpu_mem_limit": "5", "use_tf32": "0", "enable_cuda_graph": "1",
			"cudnn_conv_algo_search": "DEFAULT", "tunable_op_enable": "", "do_copy_in_default_stream": "true", "prefer_nhwc": "1"},
		Model: map[string]string{"cudnn_conv_algo_search": "1", "arena_extend_strategy": "1", "gpu_mem_limit": "4", "other": "x"},
	})
	if want := (map[string]string{"device_id": "2", "gpu_mem_limit": "4", "use_tf32": "0", "cudnn_conv_algo_search": "HEURISTIC", "prefer_nhwc": "1",
		"arena_extend_strategy": "kSameAsRequested", "do_copy_in_default_stream": "true"}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

// A session that makes CUDA graphs is told so in ONNX Runtime's word. Any other one is not, and a wrong value is ONNX Runtime's to refuse.
// TensorRT is never told.
func TestSettingsOfGraphs(t *testing.T) {
	for _, c := range []struct {
		graphs      bool
		value, want string
	}{{true, "on", "1"}, {true, "true", "1"}, {true, "0", "0"}, {false, "true", ""}, {false, "off", "off"}, {false, "maybe", "maybe"}} {
		use := onnx.AcceleratorUse{Graphs: c.graphs, Parameters: map[string]string{"enable_cuda_graph": c.value}}
		settings, err := onnx.CUDASettings(use)
		if err != nil || settings["enable_cuda_graph"] != c.want {
			t.Errorf("cuda, %q: %v, %v", c.value, settings, err)
		}
		if c.value == "maybe" {
			continue // Triton's TensorRT wants a boolean
		}
		use.Parameters = map[string]string{"trt_cuda_graph_enable": c.value}
		settings, err = onnx.TensorRTSettings(use)
		if _, told := settings["trt_cuda_graph_enable"]; err != nil || told != (c.want == "0" || c.want == "off") {
			t.Errorf("tensorrt, %q: %v, %v", c.value, settings, err)
		}
	}
}

func TestWrongCUDASettings(t *testing.T) {
	for _, c := range []struct {
		model      bool
		key, value string
		want       string
	}{
		{true, "cudnn_conv_algo_search", "3", "unsupported cudnn_conv_algo_search value '3' is requested"},
		{true, "arena_extend_strategy", "2", "unsupported arena_extend_strategy value '2' is requested"},
		{true, "arena_extend_strategy", "much", "failed to convert 'much' to integral number"},
		{false, "do_copy_in_default_stream", "yes", "failed to convert 'yes' to boolean"},
		{false, "use_ep_level_unified_stream", "", "failed to convert '' to boolean"},
		{false, "user_compute_stream", "140000", "parameter 'user_compute_stream' of the Execution Accelerator 'cuda' is an address"},
		{false, "gpu_external_alloc", "1", "parameter 'gpu_external_alloc' of the Execution Accelerator 'cuda' is an address"},
	} {
		use := onnx.AcceleratorUse{Parameters: map[string]string{c.key: c.value}}
		if c.model {
			use.Parameters, use.Model = nil, use.Parameters
		}
		if _, err := onnx.CUDASettings(use); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", c.key, err)
		}
	}
}

// tensorRTValues is a good value for each parameter of Triton's tensorrt accelerator, and what the provider is told.
var tensorRTValues = map[string][3]string{
	"max_workspace_size_bytes":          {"9", "trt_max_workspace_size", "9"},
	"int8_calibration_table_name":       {"t", "trt_int8_calibration_table_name", "t"},
	"int8_use_native_calibration_table": {"true", "trt_int8_use_native_calibration_table", "true"},
	"trt_max_partition_iterations":      {"5"}, "trt_min_subgraph_size": {"3"}, "trt_dla_enable": {"0"}, "trt_dla_core": {"1"},
	"trt_engine_cache_enable": {"1"}, "trt_engine_cache_path": {"/c"}, "trt_engine_cache_prefix": {"p"}, "trt_dump_subgraphs": {"off"},
	"trt_force_sequential_engine_build": {"1"}, "trt_context_memory_sharing_enable": {"1"}, "trt_layer_norm_fp32_fallback": {"1"},
	"trt_timing_cache_enable": {"1"}, "trt_timing_cache_path": {"/t"}, "trt_force_timing_cache": {"1"}, "trt_detailed_build_log": {"1"},
	"trt_build_heuristics_enable": {"1"}, "trt_sparsity_enable": {"1"}, "trt_builder_optimization_level": {"5"}, "trt_auxiliary_streams": {"-1"},
	"trt_tactic_sources": {"-CUDNN"}, "trt_extra_plugin_lib_paths": {"/l.so"}, "trt_profile_min_shapes": {"x:1"}, "trt_profile_max_shapes": {"x:8"},
	"trt_profile_opt_shapes": {"x:4"}, "trt_cuda_graph_enable": {"0"}, "trt_dump_ep_context_model": {"0"}, "trt_ep_context_file_path": {"/e"},
	"trt_ep_context_embed_mode": {"1"},
}

// Each parameter of Triton's arrives at the provider under its name.
func TestTensorRTSettings(t *testing.T) {
	given, want := map[string]string{"precision_mode": "FP16"}, map[string]string{"device_id": "3", "trt_fp16_enable": "1"}
	for key, v := range tensorRTValues {
		given[key] = v[0]
		if v[1] == "" {
			v[1], v[2] = key, v[0]
		}
		want[v[1]] = v[2]
	}
	got, err := onnx.TensorRTSettings(onnx.AcceleratorUse{Device: 3, Parameters: given, Folder: "/kept"})
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v\nwant %v, %v", got, want, err)
	}
}

// What is compiled is kept in the use's folder where the config does not decide on that.
func TestWhereEnginesAreKept(t *testing.T) {
	for name, c := range map[string]struct{ given, want map[string]string }{
		"nothing said": {nil, map[string]string{"device_id": "0", "trt_engine_cache_enable": "1", "trt_engine_cache_path": "/kept",
			"trt_timing_cache_enable": "1", "trt_timing_cache_path": "/kept"}},
		"off": {map[string]string{"trt_engine_cache_enable": "0", "trt_timing_cache_enable": "0"},
			map[string]string{"device_id": "0", "trt_engine_cache_enable": "0", "trt_timing_cache_enable": "0"}},
		"elsewhere": {map[string]string{"trt_engine_cache_enable": "1", "trt_engine_cache_path": "/mine", "trt_timing_cache_path": "/times"},
			map[string]string{"device_id": "0", "trt_engine_cache_enable": "1", "trt_engine_cache_path": "/mine",
				"trt_timing_cache_enable": "1", "trt_timing_cache_path": "/times"}},
	} {
		got, err := onnx.TensorRTSettings(onnx.AcceleratorUse{Parameters: c.given, Folder: "/kept"})
		if err != nil || !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestWrongTensorRTSettings(t *testing.T) {
	for _, c := range [][3]string{
		{"trt_nothing", "x", "unknown parameter 'trt_nothing' is provided for TensorRT Execution Accelerator"},
		{"precision_mode", "x", "unsupported precision mode 'x' is requested"},
		{"trt_dla_enable", "yes", "failed to convert 'yes' to boolean"},
		{"trt_min_subgraph_size", "few", "failed to convert 'few' to integral number"},
		{"trt_min_subgraph_size", "99999999999", "failed to convert '99999999999' to integral number"},
		{"max_workspace_size_bytes", "much", "failed to convert 'much' to unsigned long long integral number"},
		{"max_workspace_size_bytes", "-1", "'-1' is not a number of bytes"},
		{"max_workspace_size_bytes", "99999999999999999999", "'99999999999999999999' is not a number of bytes"},
	} {
		if _, err := onnx.TensorRTSettings(onnx.AcceleratorUse{Parameters: map[string]string{c[0]: c[1]}}); err == nil || err.Error() != c[2] {
			t.Errorf("%s: %v", c[0], err)
		}
	}
}
