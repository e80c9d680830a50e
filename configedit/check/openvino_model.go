package check

import (
	"errors"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
)

// openVINOCheck compares a config with an OpenVINO model.
type openVINOCheck struct {
	onnxCheck
	filledWrong map[string]bool // the sides of which a tensor was reported that the backend fills in
}

// openVINORules say, for each rule, how a problem becomes a diagnostic.
var openVINORules = map[*rule.Rule]func(openVINOCheck, *derive.Problem, *finding) bool{
	rule.OV1: openVINOCheck.onnxCount,
	rule.OV2: openVINOCheck.onnxName,
	rule.OV3: openVINOCheck.openVINOType,
	rule.OV4: openVINOCheck.openVINODims,
	rule.OV5: openVINOCheck.openVINOLoss,
}

// checkOpenVINO compares the config with the model file: OV0, and OV1 to OV5 by derive.CheckOpenVINO.
func checkOpenVINO(base *checker) {
	c := openVINOCheck{onnxCheck{base}, map[string]bool{}}
	if c.cfg.GetBackend() != backends.OpenVINO || c.cfg.GetRuntime() != "" || c.m.Problem != nil || c.rejected || c.isEnsemble() {
		return
	}
	if c.m.Facts.OpenVINO == nil {
		c.openVINOUnread()
		return
	}
	reportAll(c, c.onnxCheck, openVINORules, derive.CheckOpenVINO(c.cfg, c.m.Facts.OpenVINO, c.m.Facts.AutoComplete))
}

// openVINOUnread: OV0.
func (c openVINOCheck) openVINOUnread() {
	if c.m.FileProblem == nil {
		return
	}
	var broken *modelfile.Error
	c.report(finding{
		rule: rule.OV0, span: c.name("default_model_filename"), unsaid: true,
		taken:   !errors.As(c.m.FileProblem, &broken) || broken.Unjudged,
		message: say("%s of version %d cannot be read: %s", c.modelFile(), newest(c.m), c.m.FileProblem),
	})
}

func (c openVINOCheck) openVINOType(p *derive.Problem, d *finding) bool {
	t := c.tensorAt(p)
	d.message = say("%s is %s, a type that the openvino backend does not have", t.called(), t.typ)
	return true
}

// openVINODims: in Triton a tensor without dimensions is an empty list of dims, which it refuses.
func (c openVINOCheck) openVINODims(p *derive.Problem, d *finding) bool {
	if len(p.Tensor.Dims) == 0 {
		d.message = say("%s is a single value in the model file, and the openvino backend serves no tensors without dimensions", c.tensorAt(p).called())
		return true
	}
	if t := c.tensorAt(p); t.index >= 0 && !c.has(t.side, t.index) {
		return c.openVINOFilled(p, t, d)
	}
	return c.onnxShape(p, d)
}

// openVINOFilled: the backend writes -1 for all dims of a tensor that has an open one, and then compares them with the file. The
// first tensor of a side stands for all.
func (c openVINOCheck) openVINOFilled(p *derive.Problem, t *tensor, d *finding) bool {
	file := c.m.Facts.OpenVINO.Inputs
	if t.side == "output" {
		file = c.m.Facts.OpenVINO.Outputs
	}
	if c.filledWrong[t.side] {
		return false
	}
	c.filledWrong[t.side] = true
	d.span = c.name("backend")
	d.message = say("the backend fills in %s for %s, which is %s in the model file: where one size is open, it leaves all of them open; list the %ss here",
		shown(effectiveShape(c.cfg, t.dims)), t.called(), shown(p.Tensor.Sizes()), t.side)
	d.fixes = c.addTensors(t.side, file)
	return true
}

// openVINOLoss: OpenVINO converts, and loses something.
func (c openVINOCheck) openVINOLoss(p *derive.Problem, d *finding) bool {
	if !c.onnxType(p, d) {
		return false
	}
	d.message += "; OpenVINO converts the values, and some are lost"
	return true
}

// openVINOTensors are the tensors that the config is compared with, with the batch dimension that the backend sets; nil if they are
// unknown.
func (c *checker) openVINOTensors() *modelfile.ONNX {
	file := c.m.Facts.OpenVINO
	if file == nil {
		return nil
	}
	if c.cfg.GetMaxBatchSize() == 0 {
		return &modelfile.ONNX{Inputs: file.Inputs, Outputs: file.Outputs}
	}
	return &modelfile.ONNX{Inputs: batched(file.Inputs), Outputs: batched(file.Outputs)}
}

// batched are tensors whose first dimension is free.
func batched(tensors []modelfile.Tensor) []modelfile.Tensor {
	free := make([]modelfile.Tensor, len(tensors))
	for i, t := range tensors {
		if len(t.Dims) > 0 {
			t.Dims = append([]modelfile.Dim{{Size: -1}}, t.Dims[1:]...)
		}
		free[i] = t
	}
	return free
}
