package ort

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// ownLibraries are the providers that are in a library of their own.
var ownLibraries = map[string]string{
	"CUDAExecutionProvider": "cuda", "TensorrtExecutionProvider": "tensorrt", openVINO: "openvino",
	"ROCMExecutionProvider": "rocm", "MIGraphXExecutionProvider": "migraphx", "NvTensorRTRTXExecutionProvider": "nv_tensorrt_rtx",
}

// makersNames are the providers that ONNX Runtime writes in another way than their makers.
var makersNames = map[string]string{
	"Dml": "DirectML", "Dnnl": "oneDNN", "NvTensorRTRTX": "TensorRT for RTX", "Tensorrt": "TensorRT", "VitisAI": "Vitis AI", "WebGpu": "WebGPU", "Xnnpack": "XNNPACK",
}

// ShortName is the name of a provider as its maker writes it, without what all names of ONNX Runtime end with: "CUDA", "WebGPU".
func ShortName(provider string) string {
	name := strings.TrimSuffix(provider, "ExecutionProvider")
	return cmp.Or(makersNames[name], name)
}

// ShortNameOf is the short name of the provider that is in a library of its own, "cuda".
func ShortNameOf(own string) string {
	for provider, library := range ownLibraries {
		if library == own {
			return ShortName(provider)
		}
	}
	return own
}

// ProviderFile is the name of the file with a provider's own library, "cuda".
func ProviderFile(own string) string {
	switch runtime.GOOS {
	case "windows":
		return "onnxruntime_providers_" + own + ".dll"
	case "darwin":
		return "libonnxruntime_providers_" + own + ".dylib"
	}
	return "libonnxruntime_providers_" + own + ".so"
}

// LacksLibrary is the file that has to lie beside an ONNX Runtime for a provider and does not; "" where nothing is lacking.
func LacksLibrary(library, provider string) string {
	own, is := ownLibraries[provider]
	if !is {
		return ""
	}
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(filepath.Dir(library), ProviderFile(name)))
		return err == nil
	}
	if there(own) || there(own+"_plugin") {
		return ""
	}
	return ProviderFile(own)
}

// Absent are those of the Providers of this library that cannot be there: their own library is not beside it, or finds no device.
func (l *Library) Absent(providers []string) (list []string) {
	for _, p := range providers {
		if LacksLibrary(l.path, p) != "" || p == openVINO && l.plugin.err != nil {
			list = append(list, p)
		}
	}
	return list
}

// ShortNames are the short names of the providers that can be there.
func ShortNames(providers, absent []string) (list []string) {
	for _, p := range providers {
		if !slices.Contains(absent, p) {
			list = append(list, ShortName(p))
		}
	}
	return list
}
