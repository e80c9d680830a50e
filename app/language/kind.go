package language

import (
	"cmp"
	"fmt"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
)

// Kind returns what people call a model of this effective config: "Ensemble", "ONNX", or the backend's
// own name.
func Kind(cfg *modelconfig.ModelConfig) string {
	if backends.IsEnsemble(cfg) {
		return "Ensemble"
	}
	backend := backendOf(cfg)
	return cmp.Or(backends.Named(backend).Kind, backend)
}

// Runtime returns the name of the framework that runs a model of this effective config: "ONNX
// Runtime", or the backend's own name; "" for an ensemble.
func Runtime(cfg *modelconfig.ModelConfig) string {
	if backends.IsEnsemble(cfg) {
		return ""
	}
	backend := backendOf(cfg)
	return cmp.Or(backends.Named(backend).Runtime, backend)
}

// backendOf returns the backend, or the part of the platform that names it.
func backendOf(cfg *modelconfig.ModelConfig) string {
	before, _, _ := strings.Cut(cfg.GetPlatform(), "_")
	return cmp.Or(cfg.GetBackend(), before)
}

// CannotRun is the sentence about a model of a backend that the engine lacks. It is the same wherever
// people meet such a model.
func CannotRun(backend string) string {
	return fmt.Sprintf("This engine has no backend %q. %s", backend, notRun(backend))
}

// NeedsGPU is the sentence about a model of a backend that runs on GPUs alone, on a machine without one.
func NeedsGPU(backend string) string {
	return "This machine has no NVIDIA GPU. " + notRun(backend)
}

func notRun(backend string) string {
	return cmp.Or(backends.Named(backend).Kind, backend) + " models can be edited and checked here, not run."
}
