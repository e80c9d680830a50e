package language

import (
	"cmp"
	"fmt"
	"path"

	"conch/configedit/backends"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/starter"
)

// Begin returns a first config for a new model. It is valid, except for what only a person knows.
func Begin(name, backend string) string {
	return fmt.Sprintf("name: %q\n", name) + begin(backend, BeginFormat(backends.Named(backend)))
}

// BeginFormat returns the format that the first config of a new model is for; the zero Format for a backend that has none.
func BeginFormat(b backends.Backend) backends.Format {
	if b.Name == backends.TensorFlow {
		return backends.SavedModel // the form that TensorFlow 2 writes
	}
	return b.Format("")
}

// begin leaves the name to the folder.
func begin(backend string, format backends.Format) string {
	tensors := starter.Tensors()
	switch backend {
	case backends.Ensemble:
		return fmt.Sprintf("platform: %q\nmax_batch_size: 0\n", backends.Ensemble) + tensors + "ensemble_scheduling {\n  step [\n  ]\n}\n"
	case "", backends.ONNXRuntime, backends.OpenVINO:
		// Everything else is read from the model file.
		return fmt.Sprintf("backend: %q\n", cmp.Or(backend, backends.ONNXRuntime))
	case backends.TensorFlow: // its files tell the platform, and they may not be there yet
		return fmt.Sprintf("backend: %q\nplatform: %q\nmax_batch_size: 0\n", backend, format.Platform) + tensors
	}
	return fmt.Sprintf("backend: %q\nmax_batch_size: 0\n", backend) + tensors
}

// BeginProgram returns the first program of a new model with this config, and its path in the model's folder; "" for a model
// whose file people do not write.
func BeginProgram(config []byte) (file string, text []byte) {
	decoded, _ := modelconfig.Parse(folder.ConfigName, config)
	cfg := decoded.Config
	if cfg.GetBackend() != backends.Python || cfg.GetRuntime() != "" || cfg.GetDefaultModelFilename() != "" {
		return "", nil
	}
	return path.Join("1", backends.PythonProgram.File), []byte(starter.Python(cfg).Text)
}
