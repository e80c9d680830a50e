package ort

import (
	"path/filepath"

	binding "github.com/yalue/onnxruntime_go"
)

// checkProviders says which library of a provider, or of CUDA behind it, is cut off. ONNX Runtime opens it when the provider is
// added, and the process would end then. One that is not there is left to ONNX Runtime to tell.
func checkProviders(folder string, names ...string) error {
	for _, name := range names {
		if err := checkWhole(filepath.Join(folder, ProviderFile(name))); err != nil {
			return err
		}
	}
	return nil
}

// AppendCUDA adds the CUDA execution provider with its settings.
func (o *Options) AppendCUDA(settings map[string]string) error {
	if err := checkProviders(filepath.Dir(o.library.Path()), "shared", "cuda"); err != nil {
		return refused(err)
	}
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
	if err := checkProviders(filepath.Dir(o.library.Path()), "shared", "cuda", "tensorrt"); err != nil {
		return refused(err)
	}
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
	if o.library.plugin.there {
		return refused(o.appendPlugin(settings))
	}
	return refused(o.binding.AppendExecutionProviderOpenVINO(settings))
}

// AppendWebGPU adds the WebGPU execution provider with its settings. Sessions with it run one after the other.
func (o *Options) AppendWebGPU(settings map[string]string) error {
	o.takeTurns = true
	return refused(o.binding.AppendExecutionProvider("WebGPU", settings))
}

// AppendXNNPACK adds the XNNPACK execution provider with its settings.
func (o *Options) AppendXNNPACK(settings map[string]string) error {
	return refused(o.binding.AppendExecutionProvider("XNNPACK", settings))
}

// AppendCoreML adds the CoreML execution provider with its settings.
func (o *Options) AppendCoreML(settings map[string]string) error {
	return refused(o.binding.AppendExecutionProvider("CoreML", settings))
}

// AppendDirectML adds the DirectML execution provider with its settings. It needs a session without memory patterns, and takes one run of a session at a
// time: sessions with it run one after the other.
func (o *Options) AppendDirectML(settings map[string]string) error {
	o.takeTurns = true
	if err := o.SetMemPattern(false); err != nil {
		return err
	}
	return refused(o.binding.AppendExecutionProvider("DML", settings))
}
