package onnx

import (
	"strconv"
	"strings"

	"conch/configedit/rule"
	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
)

// builtIn are the accelerators that Triton's onnxruntime backend knows.
func builtIn() []Accelerator { return []Accelerator{tensorRT{}, cuda{}, openVINO{}} }

// openVINO speeds up CPUs. Its parameters are passed on unchanged.
type openVINO struct{}

func (openVINO) Describe() AcceleratorInfo {
	return AcceleratorInfo{Name: "openvino", Provider: "OpenVINOExecutionProvider"}
}

func (openVINO) Append(options *ort.Options, use AcceleratorUse) error {
	return options.AppendOpenVINO(use.Parameters)
}

// cuda runs the nodes on the GPU that no accelerator before it takes.
type cuda struct{}

func (cuda) Describe() AcceleratorInfo {
	return AcceleratorInfo{Name: "cuda", Provider: "CUDAExecutionProvider", GPU: true, Always: true}
}

func (cuda) Append(options *ort.Options, use AcceleratorUse) error {
	settings, err := cudaSettings(use)
	if err != nil {
		return err
	}
	return options.AppendCUDA(settings)
}

// cudaSettings returns the model's old CUDA parameters under the provider's names
// (docs/triton/onnx.md, "Parameters"). The parameters of the accelerator's own entry are passed on
// unchanged and have priority.
func cudaSettings(use AcceleratorUse) (map[string]string, error) {
	settings := map[string]string{"device_id": strconv.Itoa(use.Device)}
	for key, words := range map[string][]string{
		"cudnn_conv_algo_search": {"EXHAUSTIVE", "HEURISTIC", "DEFAULT"},
		"arena_extend_strategy":  {"kNextPowerOfTwo", "kSameAsRequested"},
	} {
		if text, set := use.Model[key]; set {
			n, err := threadCount(text)
			if err != nil {
				return nil, err
			}
			settings[key] = words[min(n, len(words)-1)]
		}
	}
	for _, key := range []string{"gpu_mem_limit", "do_copy_in_default_stream"} {
		if text, set := use.Model[key]; set {
			settings[key] = text
		}
	}
	for key, text := range use.Parameters {
		settings[key] = text
	}
	return settings, nil
}

// tensorRT compiles parts of a graph for the GPU.
type tensorRT struct{}

func (tensorRT) Describe() AcceleratorInfo {
	return AcceleratorInfo{Name: "tensorrt", Provider: "TensorrtExecutionProvider", GPU: true}
}

func (tensorRT) Append(options *ort.Options, use AcceleratorUse) error {
	settings, err := tensorRTSettings(use)
	if err != nil {
		return err
	}
	return options.AppendTensorRT(settings)
}

// tensorRTNames are the parameters for which the provider has other names than Triton
// (docs/triton/onnx.md, "Accelerators").
var tensorRTNames = map[string]string{
	"max_workspace_size_bytes":          "trt_max_workspace_size",
	"int8_calibration_table_name":       "trt_int8_calibration_table_name",
	"int8_use_native_calibration_table": "trt_int8_use_native_calibration_table",
}

// tensorRTKeys are the parameters with the same names in both, without the prefix "trt_".
var tensorRTKeys = strings.Fields(`max_partition_iterations min_subgraph_size dla_enable dla_core engine_cache_enable engine_cache_path
	engine_cache_prefix dump_subgraphs force_sequential_engine_build context_memory_sharing_enable layer_norm_fp32_fallback
	timing_cache_enable timing_cache_path force_timing_cache detailed_build_log build_heuristics_enable sparsity_enable
	builder_optimization_level auxiliary_streams tactic_sources extra_plugin_lib_paths profile_min_shapes profile_max_shapes
	profile_opt_shapes cuda_graph_enable dump_ep_context_model ep_context_file_path ep_context_embed_mode`)

func tensorRTSettings(use AcceleratorUse) (map[string]string, error) {
	settings := map[string]string{"device_id": strconv.Itoa(use.Device)}
	for key, text := range use.Parameters {
		if key == "precision_mode" {
			if err := setPrecision(settings, text); err != nil {
				return nil, err
			}
			continue
		}
		name, known := tensorRTName(key)
		if !known {
			return nil, infer.Refused(rule.ACC2, key)
		}
		settings[name] = text
	}
	return settings, nil
}

func tensorRTName(key string) (string, bool) {
	if name, renamed := tensorRTNames[key]; renamed {
		return name, true
	}
	for _, same := range tensorRTKeys {
		if key == "trt_"+same {
			return key, true
		}
	}
	return "", false
}

// setPrecision turns on a number format. FP32 needs no setting.
func setPrecision(settings map[string]string, mode string) error {
	switch mode {
	case "FP32":
	case "FP16", "BF16", "INT8":
		settings["trt_"+strings.ToLower(mode)+"_enable"] = "1"
	default:
		return infer.Errorf(infer.InvalidArg, "unsupported precision mode '%s' is requested", mode)
	}
	return nil
}
