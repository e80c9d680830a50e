package onnx_test

import (
	"log/slog"
	"os"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/backendtest"
	"conch/engine/backend/onnx"
)

// What the contract says of the memory of GPUs, on a GPU that is the processor.
func TestGPUConformance(t *testing.T) {
	if told := gpuChild(t, "TestGPUConformanceChild"); told == "" {
		t.Error("the library was asked for nothing")
	}
}

func TestGPUConformanceChild(t *testing.T) {
	library := os.Getenv(gpuLibrary)
	if library == "" {
		t.Skip("it is a part of another test")
	}
	backendtest.RunOnGPU(t, backendtest.Subject{
		New: func(t *testing.T) backend.Backend {
			return onnx.New(onnx.Options{
				Library: library, Log: slog.New(slog.DiscardHandler), Accelerators: []onnx.Accelerator{gpuOnCPU()}, GPUMemory: ownMemory(t),
			})
		},
		Identity: func(t *testing.T, s backendtest.Shape) backend.Spec { return copying(t, s, "") },
	}, 3)
}
