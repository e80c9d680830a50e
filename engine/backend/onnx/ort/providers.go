package ort

import (
	binding "github.com/yalue/onnxruntime_go"
)

// AppendCUDA adds the CUDA execution provider with its settings.
func (o *Options) AppendCUDA(settings map[string]string) error {
	cuda, err := binding.NewCUDAProviderOptions()
	if err != nil {
		return refused(err)
	}
	defer cuda.Destroy()
	if err := cuda.Update(settings); err != nil {
		return refused(err)
	}
	return refused(o.binding.AppendExecutionProviderCUDA(cuda))
}

// AppendTensorRT adds the TensorRT execution provider with its settings.
func (o *Options) AppendTensorRT(settings map[string]string) error {
	tensorRT, err := binding.NewTensorRTProviderOptions()
	if err != nil {
		return refused(err)
	}
	defer tensorRT.Destroy()
	if err := tensorRT.Update(settings); err != nil {
		return refused(err)
	}
	return refused(o.binding.AppendExecutionProviderTensorRT(tensorRT))
}

// AppendOpenVINO adds the OpenVINO execution provider with its settings.
func (o *Options) AppendOpenVINO(settings map[string]string) error {
	return refused(o.binding.AppendExecutionProviderOpenVINO(settings))
}
