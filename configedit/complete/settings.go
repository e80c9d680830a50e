package complete

import (
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/check"
	"conch/configedit/text"
)

// settings are the keys and values that backends and accelerators read.
type settings struct{ *place }

// keysOfBackend are the keys of parameters that the model's backend reads and that are not set yet.
func (p settings) keysOfBackend() []Item {
	set := p.keys(p.around(1), "parameters")
	var items []Item
	for _, known := range check.Parameters(p.m.Effective.GetBackend()) {
		if set[known.Key] {
			continue
		}
		items = append(items, Item{
			Label: known.Key, Kind: KindValue, Detail: defaultText(known.Default), Documentation: known.Doc, Insert: text.Quote(known.Key),
		})
	}
	return items
}

// parameter returns what is known about the parameter whose value is at the place.
func (p settings) parameter(entry *text.Message) (check.Parameter, bool) {
	key := p.valueOf(entry, "key")
	known := check.Parameters(p.m.Effective.GetBackend())
	i := slices.IndexFunc(known, func(known check.Parameter) bool { return known.Key == key })
	if i < 0 {
		return check.Parameter{}, false
	}
	return known[i], true
}

// parameterValues returns the values of the parameter at the place, if it takes only certain values.
func (p settings) parameterValues() []Item {
	known, _ := p.parameter(p.around(1))
	var items []Item
	if known.Values == nil && known.Default != "" {
		return quoted(KindValue, "default", known.Default)
	}
	for _, value := range known.Values {
		detail := ""
		if value == known.Default {
			detail = "default"
		}
		items = append(items, Item{Label: value, Kind: KindValue, Detail: detail, Insert: text.Quote(value)})
	}
	return items
}

// parameterHelp explains a parameter.
func parameterHelp(known check.Parameter) string {
	help := strings.ToUpper(known.Doc[:1]) + known.Doc[1:] + "."
	if known.Values != nil {
		help += " One of " + strings.Join(known.Values, ", ") + "."
	}
	if known.Default != "" {
		help += " " + known.Default + " when absent."
	}
	return help
}

func defaultText(value string) string {
	if value == "" {
		return ""
	}
	return value + " when absent"
}

// accelerators are those that the backend knows for GPUs or for the CPU (docs/triton/onnx.md,
// "Accelerators"; docs/triton/backends.md, "TensorFlow").
func (p settings) accelerators(cpu bool) []Item {
	b := backends.Named(p.m.Effective.GetBackend())
	if cpu {
		return quoted(KindValue, "accelerator", b.CPUAccelerators...)
	}
	return quoted(KindValue, "accelerator", b.GPUAccelerators...)
}

// unset are the settings of the accelerator at the place that are not set yet.
func (p settings) unset() []Item {
	if !p.usesTensorRT() {
		return nil
	}
	set := p.keys(p.around(1), "parameters")
	var items []Item
	for _, s := range tensorRT {
		if !set[s.key] {
			items = append(items, Item{Label: s.key, Kind: KindValue, Documentation: s.doc, Insert: text.Quote(s.key)})
		}
	}
	return items
}

// settingValues returns the values that the setting at the place takes.
func (p settings) settingValues() []Item {
	key := p.valueOf(p.at.Message(), "key")
	i := slices.IndexFunc(tensorRT, func(s setting) bool { return s.key == key })
	if i < 0 || !p.usesTensorRT() {
		return nil
	}
	return quoted(KindValue, "", tensorRT[i].values...)
}

func (p settings) usesTensorRT() bool {
	return p.m.Effective.GetBackend() == backends.ONNXRuntime && p.valueOf(p.around(1), "name") == "tensorrt"
}

// tensorRT are the settings of ONNX Runtime's tensorrt accelerator that people use
// (docs/triton/onnx.md, "Accelerators").
var tensorRT = []setting{
	{"precision_mode", "the precision that TensorRT may compute in", []string{"FP32", "FP16", "BF16", "INT8"}},
	{"max_workspace_size_bytes", "bytes that TensorRT may take while it builds", nil},
	{"int8_calibration_table_name", "the file with the ranges for INT8", nil},
	{"int8_use_native_calibration_table", "the calibration table is TensorRT's own, not ONNX Runtime's", []string{"1", "0"}},
	{"trt_engine_cache_enable", "keep built engines, so that the next load is fast", []string{"1", "0"}},
	{"trt_engine_cache_path", "the folder for the engines", nil},
	{"trt_timing_cache_enable", "keep timings of kernels, so that the next build is fast", []string{"1", "0"}},
	{"trt_timing_cache_path", "the folder for the timings", nil},
	{"trt_max_partition_iterations", "the most rounds of splitting the graph into parts", nil},
	{"trt_min_subgraph_size", "the fewest nodes in a part for TensorRT", nil},
	{"trt_builder_optimization_level", "how long TensorRT searches for fast kernels, 0 to 5", []string{"0", "1", "2", "3", "4", "5"}},
	{"trt_profile_min_shapes", "the smallest shapes, as in input:1x64", nil},
	{"trt_profile_opt_shapes", "the shapes to optimize for, as in input:8x64", nil},
	{"trt_profile_max_shapes", "the largest shapes, as in input:32x64", nil},
	{"trt_cuda_graph_enable", "capture CUDA graphs", []string{"1", "0"}},
	{"trt_layer_norm_fp32_fallback", "compute layer norms in FP32 where the rest is FP16", []string{"1", "0"}},
}

// setting is a key of an accelerator's parameters, with its values if it takes only certain values.
type setting struct {
	key, doc string
	values   []string
}
