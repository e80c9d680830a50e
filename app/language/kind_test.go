package language_test

import (
	"testing"

	"conch/app/language"
	"conch/configedit/modelconfig"
)

// TestMisspeltBackend: a backend that is nearly the name of another is no backend of its own.
func TestMisspeltBackend(t *testing.T) {
	for backend, want := range map[string][3]string{
		"onnxruntme":  {language.UnknownBackend, "", `No backend is called "onnxruntme". Did you mean "onnxruntime"?`},
		"pytorch":     {"PyTorch", "PyTorch", `This engine has no backend "pytorch". PyTorch models can be made, edited, checked and exported here, and run where a Triton has it.`},
		"our_backend": {"our_backend", "our_backend", `This engine has no backend "our_backend". our_backend models can be made, edited, checked and exported here, and run where a Triton has it. Conch looks for backends of your own when its engine starts.`},
	} {
		cfg := &modelconfig.ModelConfig{Backend: backend}
		if got := [3]string{language.Kind(cfg), language.Runtime(cfg), language.CannotRun(backend)}; got != want {
			t.Errorf("%s: %q, want %q", backend, got, want)
		}
	}
}
