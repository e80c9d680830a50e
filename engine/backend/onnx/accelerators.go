package onnx

import (
	"strconv"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/rule"
	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
)

// builtIn are the accelerators that Triton's onnxruntime backend knows, and then those that only Conch has.
func builtIn() []Accelerator {
	return []Accelerator{
		tensorRT(), cudaProvider(), openVINO{}, &webGPU{},
		adapter{"xnnpack", "XnnpackExecutionProvider", "", (*ort.Options).AppendXNNPACK},
		adapter{"coreml", "CoreMLExecutionProvider", "CoreML", (*ort.Options).AppendCoreML},
		adapter{"directml", "DmlExecutionProvider", "DirectML", (*ort.Options).AppendDirectML},
	}
}

// InPlaceOfCPU is the accelerator by which all models can run in place of the processor, "webgpu", where ONNX Runtime can use a device by a provider,
// "WebGPU" for people; "" for a provider of which there is none.
func InPlaceOfCPU(people string) string {
	for _, a := range builtIn() {
		if info := a.Describe(); info.Adapter != "" && info.Adapter == people {
			return info.Name
		}
	}
	return ""
}

// nvidia is an accelerator for NVIDIA's GPUs.
type nvidia struct {
	AcceleratorInfo
	// settings are the provider's, from what a config says.
	settings func(AcceleratorUse) (map[string]string, error)
	add      func(*ort.Options, map[string]string) error
}

func (n nvidia) Describe() AcceleratorInfo { return n.AcceleratorInfo }

func (n nvidia) Append(options *ort.Options, use AcceleratorUse) error {
	settings, err := n.settings(use)
	if err != nil {
		return err
	}
	return n.add(options, settings)
}

// adapter is an accelerator that Triton does not have: for what this machine has in place of an NVIDIA GPU. Its parameters are passed on
// unchanged.
type adapter struct {
	name, provider, people string
	add                    func(*ort.Options, map[string]string) error
}

func (a adapter) Describe() AcceleratorInfo {
	return AcceleratorInfo{Name: a.name, Provider: a.provider, Adapter: a.people}
}

func (a adapter) Append(options *ort.Options, use AcceleratorUse) error {
	return a.add(options, use.Parameters)
}

// openVINO speeds up CPUs. Its parameters are passed on unchanged.
type openVINO struct{}

func (openVINO) Describe() AcceleratorInfo {
	return AcceleratorInfo{Name: "openvino", Provider: "OpenVINOExecutionProvider"}
}

func (openVINO) Append(options *ort.Options, use AcceleratorUse) error {
	return options.AppendOpenVINO(use.Parameters)
}

// checkValue refuses a parameter's value in Triton's words. Triton hands on the text itself.
func checkValue(kind backends.ParameterKind, text string) error {
	var err error
	switch kind {
	case backends.Number:
		_, err = threadCount(text)
	case backends.Bytes:
		if !leading.MatchString(text) {
			err = infer.Refused(rule.ACC3, text)
		} else if _, wrong := strconv.ParseUint(strings.TrimLeft(leading.FindString(text), " \t+"), 10, 64); wrong != nil {
			err = infer.Errorf(infer.InvalidArg, "'%s' is not a number of bytes", text)
		}
	case backends.Flag:
		_, err = boolean(text)
	}
	return err
}
