package backends

import "strings"

// ParameterKind is how Triton reads the text of a parameter.
type ParameterKind int

// The kinds.
const (
	Word   ParameterKind = iota
	Number               // an integer of 32 bits
	Bytes                // a size
	Flag                 // a boolean
)

// TensorRTParameters are what the tensorrt accelerator of onnxruntime takes (docs/triton/onnx.md, "Accelerators").
var TensorRTParameters = kindsOf(map[ParameterKind]string{
	Word: `precision_mode int8_calibration_table_name trt_engine_cache_path trt_engine_cache_prefix trt_timing_cache_path
		trt_tactic_sources trt_extra_plugin_lib_paths trt_profile_min_shapes trt_profile_max_shapes trt_profile_opt_shapes
		trt_ep_context_file_path`,
	Number: `trt_max_partition_iterations trt_min_subgraph_size trt_dla_core trt_builder_optimization_level trt_auxiliary_streams
		trt_ep_context_embed_mode`,
	Bytes: `max_workspace_size_bytes`,
	Flag: `int8_use_native_calibration_table trt_dla_enable trt_engine_cache_enable trt_dump_subgraphs
		trt_force_sequential_engine_build trt_context_memory_sharing_enable trt_layer_norm_fp32_fallback trt_timing_cache_enable
		trt_force_timing_cache trt_detailed_build_log trt_build_heuristics_enable trt_sparsity_enable trt_cuda_graph_enable
		trt_dump_ep_context_model`,
})

func kindsOf(lists map[ParameterKind]string) map[string]ParameterKind {
	kinds := map[string]ParameterKind{}
	for kind, keys := range lists {
		for _, key := range strings.Fields(keys) {
			kinds[key] = kind
		}
	}
	return kinds
}
