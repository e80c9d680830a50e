package derive

import (
	"google.golang.org/protobuf/proto"

	"conch/configedit/modelconfig"
)

// Effective returns the config that Triton would run a model with (docs/triton/completion.md,
// "Order"): backend, defaults, instance groups, and the tensors and batching that the file of an ONNX or OpenVINO model, the
// signature of a saved model or the answer of a Python program tells of. cfg is not changed; nil stands for a missing config.pbtxt.
//
// A model file that leaves out shapes is not used to complete anything (see modelfile.ONNX.Shaped).
//
// The config is never nil. An error is a *Problem: Triton would refuse to load, and the config
// holds what could be filled in until then.
func Effective(cfg *modelconfig.ModelConfig, facts Facts) (*modelconfig.ModelConfig, []Filled, error) {
	e := &completion{cfg: &modelconfig.ModelConfig{}, facts: &facts}
	if cfg != nil {
		e.cfg = proto.Clone(cfg).(*modelconfig.ModelConfig)
	}
	err := e.completeBackend()
	e.normalize()
	if err != nil {
		return e.cfg, e.filled, err
	}
	e.normalizeInstanceGroups()
	if err := e.completeONNX(); err != nil {
		return e.cfg, e.filled, err
	}
	e.completeOpenVINO()
	e.completeSaved()
	e.completeAnswered()
	e.normalize()
	return e.cfg, e.filled, nil
}

// completion is a config on its way, and what was added to it.
type completion struct {
	cfg    *modelconfig.ModelConfig
	facts  *Facts
	filled []Filled
}

// note records that the value at path was filled in.
func (e *completion) note(reason string, path ...any) {
	e.filled = append(e.filled, Filled{Path: path, Reason: reason})
}

// run makes a completion of a config that is changed in place, for the exported steps.
func run(cfg *modelconfig.ModelConfig, facts *Facts, step func(*completion) error) ([]Filled, error) {
	e := &completion{cfg: cfg, facts: facts}
	err := step(e)
	return e.filled, err
}
