package language

import (
	"cmp"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
)

// Kind is what people call a model of this effective config: "Ensemble", "ONNX", or the backend's own name.
func Kind(cfg *modelconfig.ModelConfig) string {
	if backends.IsEnsemble(cfg) {
		return "Ensemble"
	}
	backend := cfg.GetBackend()
	if backend == "" {
		backend, _, _ = strings.Cut(cfg.GetPlatform(), "_")
	}
	return cmp.Or(backends.Named(backend).Kind, backend)
}
