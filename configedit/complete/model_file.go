package complete

import (
	"slices"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/text"
)

// inFile are the inputs or outputs that the model file tells of. An archive of TorchScript tells the names of inputs
// alone.
func (p *place) inFile(side string) []modelfile.Tensor {
	switch facts := p.m.Facts; {
	case facts.ONNX != nil && side == "output":
		return facts.ONNX.Outputs
	case facts.ONNX != nil:
		return slices.Concat(facts.ONNX.Inputs, facts.ONNX.Overridable)
	case facts.SavedModel != nil:
		return p.signature(side)
	case facts.Torch != nil && facts.Torch.Known && side == "input":
		var list []modelfile.Tensor
		for _, name := range facts.Torch.Names() {
			list = append(list, modelfile.Tensor{Name: name})
		}
		return list
	}
	return nil
}

// signature is a side of the one that the config speaks of.
func (p *place) signature(side string) []modelfile.Tensor {
	s, err := derive.SavedSignature(p.m.Effective, p.m.Facts.SavedModel)
	switch {
	case err != nil || s == nil:
		return nil
	case side == "output":
		return s.Outputs
	}
	return s.Inputs
}

// unlisted are the inputs or outputs of the model file that the config does not list yet.
func (p *place) unlisted(side string) []Item {
	list := p.inFile(side)
	known := p.listed(side)
	var items []Item
	for i := range list {
		if t := &list[i]; !known[t.Name] {
			items = append(items, quoted(KindTensor, fileText(t), t.Name)...)
		}
	}
	return items
}

// listed are the names that the config gives its inputs or outputs, but for the one at the place.
func (p *place) listed(side string) map[string]bool {
	names := map[string]bool{}
	for _, f := range p.m.Decoded.Doc.Root.Fields {
		if f.Name.Text != side {
			continue
		}
		for _, m := range messagesIn(f.Value) {
			if m != p.at.Message() {
				names[p.valueOf(m, "name")] = true
			}
		}
	}
	return names
}

// fileText is what the model file says of a tensor.
func fileText(t *modelfile.Tensor) string {
	if t.Type == modelconfig.DataType_TYPE_INVALID {
		return "an argument of forward"
	}
	words := typeName(t.Type)
	if t.Shaped {
		words += " " + shapeText(t.Sizes())
	}
	return words + " in the model file"
}

// fileTensor is what the model file says about the input or output around the place; nil where it says nothing.
func (p *place) fileTensor() *modelfile.Tensor {
	names := p.at.Names()
	if len(names) != 1 || names[0] != "input" && names[0] != "output" {
		return nil
	}
	list := p.inFile(names[0])
	name := p.valueOf(p.at.Message(), "name")
	i := slices.IndexFunc(list, func(t modelfile.Tensor) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// accelerators are those that the backend knows for GPUs or for the CPU (docs/triton/onnx.md,
// "Accelerators"; docs/triton/backends.md, "TensorFlow").
func (p *place) accelerators(cpu bool) []Item {
	b := backends.Named(p.m.Effective.GetBackend())
	if cpu {
		return quoted(KindValue, "accelerator", b.CPUAccelerators...)
	}
	return quoted(KindValue, "accelerator", b.GPUAccelerators...)
}

// tensorRT are the settings of ONNX Runtime's tensorrt accelerator that people use
// (docs/triton/onnx.md, "Accelerators").
var tensorRT = []setting{
	{"precision_mode", "the precision that TensorRT may compute in", []string{"FP32", "FP16", "BF16", "INT8"}},
	{"max_workspace_size_bytes", "bytes that TensorRT may take while it builds", nil},
	{"int8_calibration_table_name", "the file with the ranges for INT8", nil},
	{"int8_use_native_calibration_table", "the calibration table is TensorRT's own, not ONNX Runtime's", []string{"1", "0"}},
	{"trt_engine_cache_enable", "keep built engines, so that the next load is quick", []string{"1", "0"}},
	{"trt_engine_cache_path", "the folder that engines are kept in", nil},
	{"trt_timing_cache_enable", "keep timings of kernels, so that the next build is quick", []string{"1", "0"}},
	{"trt_timing_cache_path", "the folder that timings are kept in", nil},
	{"trt_max_partition_iterations", "how often the graph is parted at most", nil},
	{"trt_min_subgraph_size", "nodes that a part for TensorRT has at least", nil},
	{"trt_builder_optimization_level", "how long TensorRT looks for fast kernels, 0 to 5", []string{"0", "1", "2", "3", "4", "5"}},
	{"trt_profile_min_shapes", "the smallest shapes, as in input:1x64", nil},
	{"trt_profile_opt_shapes", "the shapes to be fastest for, as in input:8x64", nil},
	{"trt_profile_max_shapes", "the largest shapes, as in input:32x64", nil},
	{"trt_cuda_graph_enable", "capture CUDA graphs", []string{"1", "0"}},
	{"trt_layer_norm_fp32_fallback", "compute layer norms in FP32 where the rest is FP16", []string{"1", "0"}},
}

// setting is a key of an accelerator's parameters, and what it takes where that is a list.
type setting struct {
	key, doc string
	values   []string
}

// settings are those of the accelerator n messages up that are not set yet.
func (p *place) settings() []Item {
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

// settingValues are what the setting at the place takes.
func (p *place) settingValues() []Item {
	key := p.valueOf(p.at.Message(), "key")
	i := slices.IndexFunc(tensorRT, func(s setting) bool { return s.key == key })
	if i < 0 || !p.usesTensorRT() {
		return nil
	}
	return quoted(KindValue, "", tensorRT[i].values...)
}

func (p *place) usesTensorRT() bool {
	return p.m.Effective.GetBackend() == backends.ONNXRuntime && p.valueOf(p.around(1), "name") == "tensorrt"
}
