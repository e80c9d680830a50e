package language

import (
	"cmp"
	"fmt"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/check"
	"conch/configedit/modelconfig"
)

// UnknownBackend is the kind of a model whose backend has the name of none, and nearly that of one that there is.
const UnknownBackend = "Unknown backend"

// Kind returns what people call a model of this effective config: "Ensemble", "ONNX", the backend's
// own name, or UnknownBackend.
func Kind(cfg *modelconfig.ModelConfig) string {
	if backends.IsEnsemble(cfg) {
		return "Ensemble"
	}
	backend := backendOf(cfg)
	if Misspelt(backend) {
		return UnknownBackend
	}
	return cmp.Or(backends.Named(backend).Kind, backend)
}

// Runtime returns the name of the framework that runs a model of this effective config: "ONNX
// Runtime", or the backend's own name; "" for an ensemble, and where the backend's name is misspelt.
func Runtime(cfg *modelconfig.ModelConfig) string {
	if backends.IsEnsemble(cfg) {
		return ""
	}
	backend := backendOf(cfg)
	if Misspelt(backend) {
		return ""
	}
	return cmp.Or(backends.Named(backend).Runtime, backend)
}

// Misspelt reports whether a name is no backend's, and most likely means one that has another name.
func Misspelt(backend string) bool { return meantBackend(backend) != "" }

// meantBackend returns the backend that a name most likely means, which is not its own; "" for any other name.
func meantBackend(backend string) string {
	if backends.Known(backend) {
		return ""
	}
	return check.MeantBackend(backend)
}

// backendOf returns the backend, or the part of the platform that names it.
func backendOf(cfg *modelconfig.ModelConfig) string {
	before, _, _ := strings.Cut(cfg.GetPlatform(), "_")
	return cmp.Or(cfg.GetBackend(), before)
}

// CannotRun is the sentence about a model of a backend that the engine lacks. It is the same wherever
// people meet such a model.
func CannotRun(backend string) string {
	if meant := meantBackend(backend); meant != "" {
		return fmt.Sprintf("No backend is called %q. Did you mean %q?", backend, meant)
	}
	text := fmt.Sprintf("This engine has no backend %q. %s", backend, notRun(backend, "where a Triton has it."))
	if !backends.Known(backend) {
		text += " Conch looks for backends of your own when its engine starts."
	}
	return text
}

// NeedsGPU is the sentence about a model of a backend that runs on GPUs alone, on a machine without one.
func NeedsGPU(backend string) string {
	return "This machine has no NVIDIA GPU. " + notRun(backend, "on one that has.")
}

func notRun(backend, where string) string {
	return cmp.Or(backends.Named(backend).Kind, backend) + " models can be made, edited, checked and exported here, and run " + where
}
