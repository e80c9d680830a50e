package onnx

import (
	"strconv"
	"strings"

	"conch/configedit/backends"
	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
)

// cudaProvider runs the nodes on the GPU that no accelerator before it takes.
func cudaProvider() Accelerator {
	return nvidia{
		AcceleratorInfo{Name: "cuda", Provider: "CUDAExecutionProvider", GPU: true, Always: true, Graphs: "enable_cuda_graph"},
		cudaSettings, (*ort.Options).AppendCUDA,
	}
}

// cudaFlags are the parameters of the accelerator that Triton reads; it hands on all others as they are.
var cudaFlags = map[string]bool{"do_copy_in_default_stream": true, "use_ep_level_unified_stream": true}

// cudaAddresses begin the parameters that are addresses in this process. A config knows none.
var cudaAddresses = []string{"user_compute_stream", "has_user_compute_stream", "gpu_external_"}

// cudaWords are the old parameters of a model that Triton writes as numbers (docs/triton/onnx.md, "Parameters").
var cudaWords = map[string][]string{
	"cudnn_conv_algo_search": {"EXHAUSTIVE", "HEURISTIC", "DEFAULT"},
	"arena_extend_strategy":  {"kNextPowerOfTwo", "kSameAsRequested"},
}

// cudaSettings returns the accelerator's parameters and the model's old ones, which have priority, under the provider's names
// (docs/triton/onnx.md, "Accelerators"). The device is the instance's.
func cudaSettings(use AcceleratorUse) (map[string]string, error) {
	settings := map[string]string{}
	for key, text := range use.Parameters {
		if err := checkCUDA(key, text); err != nil {
			return nil, err
		}
		if text = use.graphs("enable_cuda_graph", key, text); text != "" {
			settings[key] = text
		}
	}
	for key, words := range cudaWords {
		text, set := use.Model[key]
		if !set {
			continue
		}
		n, err := threadCount(text)
		if err != nil {
			return nil, err
		}
		if n >= len(words) {
			return nil, infer.Errorf(infer.InvalidArg, "unsupported %s value '%d' is requested", key, n)
		}
		settings[key] = words[n]
	}
	for _, key := range []string{"gpu_mem_limit", "do_copy_in_default_stream"} {
		if text, set := use.Model[key]; set {
			settings[key] = text
		}
	}
	settings["device_id"] = strconv.Itoa(use.Device)
	return settings, nil
}

func checkCUDA(key, text string) error {
	for _, address := range cudaAddresses {
		if strings.HasPrefix(key, address) {
			return infer.Errorf(infer.InvalidArg, "parameter '%s' of the Execution Accelerator 'cuda' is an address in the server's memory: "+
				"take it out of the config", key)
		}
	}
	if cudaFlags[key] {
		return checkValue(backends.Flag, text)
	}
	return nil
}
