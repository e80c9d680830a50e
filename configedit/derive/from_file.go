package derive

import (
	"google.golang.org/protobuf/proto"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
)

// FromFile returns what the backend of a model would complete its config to, as far as that needs only the model file: false where
// the framework has to be asked.
func FromFile(cfg *modelconfig.ModelConfig, facts Facts) (*modelconfig.ModelConfig, bool) {
	e := &completion{cfg: proto.Clone(cfg).(*modelconfig.ModelConfig), facts: &facts}
	known := false
	switch cfg.Backend {
	case backends.TensorFlow: // graphs have no signatures
		known = cfg.Platform == backends.GraphDef.Platform || e.completeSaved()
	case backends.OpenVINO:
		known = e.completeOpenVINO()
	}
	return e.cfg, known && whole(e.cfg)
}

// whole reports whether each input and output has a type and dims.
func whole(cfg *modelconfig.ModelConfig) bool {
	for _, in := range cfg.Input {
		if in.DataType == modelconfig.DataType_TYPE_INVALID || len(in.Dims) == 0 {
			return false
		}
	}
	for _, out := range cfg.Output {
		if out.DataType == modelconfig.DataType_TYPE_INVALID || len(out.Dims) == 0 {
			return false
		}
	}
	return len(cfg.Input) > 0 && len(cfg.Output) > 0
}
