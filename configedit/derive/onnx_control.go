package derive

import (
	"slices"

	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
)

// controlKinds are looked at in this order.
var controlKinds = []modelconfig.ModelSequenceBatching_Control_Kind{
	modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_START,
	modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_END,
	modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_READY,
	modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_CORRID,
}

// controls looks for the sequence controls in the graph, kind by kind.
func (c *onnxCheck) controls() {
	for _, kind := range controlKinds {
		for i, input := range c.cfg.GetSequenceBatching().GetControlInput() {
			j := slices.IndexFunc(input.Control, func(k *modelconfig.ModelSequenceBatching_Control) bool {
				return k.Kind == kind
			})
			if j >= 0 {
				c.present++
				c.control(at("sequence_batching", "control_input", i), input, input.Control[j])
				break
			}
		}
	}
}

func (c *onnxCheck) control(
	path []any, input *modelconfig.ModelSequenceBatching_ControlInput, control *modelconfig.ModelSequenceBatching_Control,
) {
	t := find(c.model.Inputs, input.Name)
	if t == nil {
		c.add(&Problem{
			Rule: rule.ORT11, Code: rule.Internal, Path: append(path, "name"), Allowed: names(c.model.Inputs),
			Triton: rule.ORT11.Other(1, input.Name),
		})
		return
	}
	if sizes := c.withoutBatch(t); t.Shaped && !slices.Equal(sizes, []int64{1}) {
		c.add(&Problem{
			Rule: rule.ORT11, Path: append(path, "name"), Tensor: t,
			Triton: rule.ORT11.Sentence(c.cfg.Name, input.Name, shape(sizes)),
		})
		return
	}
	if want := controlType(control); want != t.Type {
		c.add(&Problem{
			Rule: rule.ORT11, Path: append(path, "control"), Tensor: t,
			Triton: rule.ORT11.Other(2, c.cfg.Name, input.Name, apiName(t.Type), want),
		})
	}
}

func (c *onnxCheck) withoutBatch(t *modelfile.Tensor) []int64 {
	sizes := t.Sizes()
	if c.cfg.MaxBatchSize > 0 && len(sizes) > 0 {
		return sizes[1:]
	}
	return sizes
}

// controlType is the type that a control's values have.
func controlType(control *modelconfig.ModelSequenceBatching_Control) modelconfig.DataType {
	switch {
	case control.Kind == modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_CORRID:
		return control.DataType
	case len(control.Int32FalseTrue) > 0:
		return modelconfig.DataType_TYPE_INT32
	case len(control.Fp32FalseTrue) > 0:
		return modelconfig.DataType_TYPE_FP32
	}
	return modelconfig.DataType_TYPE_BOOL
}

// apiName is a type's name outside configs: INT32, BYTES.
func apiName(t modelconfig.DataType) string {
	switch t {
	case modelconfig.DataType_TYPE_STRING:
		return "BYTES"
	case modelconfig.DataType_TYPE_INVALID:
		return "<invalid>"
	}
	return t.String()[len("TYPE_"):]
}
