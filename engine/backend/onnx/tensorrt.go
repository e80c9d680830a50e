package onnx

import (
	"strconv"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/rule"
	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
)

// tensorRT compiles parts of a graph for the GPU.
func tensorRT() Accelerator {
	return nvidia{
		AcceleratorInfo{Name: "tensorrt", Provider: "TensorrtExecutionProvider", GPU: true, Compiles: true, Late: true,
			NoGraphs: tensorRTGraphs},
		tensorRTSettings, (*ort.Options).AppendTensorRT,
	}
}

// tensorRTGraphs asks for CUDA graphs. The provider has one for a session, whatever the outputs and the number of the run are, and makes it
// within a run.
const tensorRTGraphs = "trt_cuda_graph_enable"

// tensorRTNames are the parameters for which the provider has other names than Triton
// (docs/triton/onnx.md, "Accelerators").
var tensorRTNames = map[string]string{
	"max_workspace_size_bytes":          "trt_max_workspace_size",
	"int8_calibration_table_name":       "trt_int8_calibration_table_name",
	"int8_use_native_calibration_table": "trt_int8_use_native_calibration_table",
}

// tensorRTSettings returns the parameters under the provider's names. Where the config says nothing of it, what is compiled is
// kept in the folder of the use.
func tensorRTSettings(use AcceleratorUse) (map[string]string, error) {
	settings := map[string]string{}
	for key, text := range use.Parameters {
		if key == "precision_mode" {
			if err := setPrecision(settings, text); err != nil {
				return nil, err
			}
			continue
		}
		kind, known := backends.TensorRTParameters[key]
		if !known {
			return nil, infer.Refused(rule.ACC2, key)
		}
		if err := checkValue(kind, text); err != nil {
			return nil, err
		}
		if on, err := boolean(text); text == "" || key == tensorRTGraphs && err == nil && on {
			continue
		}
		if name, renamed := tensorRTNames[key]; renamed {
			key = name
		}
		settings[key] = text
	}
	keepEngines(settings, use.Folder)
	settings["device_id"] = strconv.Itoa(use.Device)
	return settings, nil
}

// keepEngines has engines and timings kept in a folder, unless the config decides on that.
func keepEngines(settings map[string]string, folder string) {
	for _, what := range []string{"engine", "timing"} {
		enable, path := "trt_"+what+"_cache_enable", "trt_"+what+"_cache_path"
		if _, told := settings[enable]; told || folder == "" {
			continue
		}
		settings[enable] = "1"
		if settings[path] == "" {
			settings[path] = folder
		}
	}
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
