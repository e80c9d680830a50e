package check

import (
	"strings"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// savedCheck compares a config with the signature of a saved model.
type savedCheck struct{ onnxCheck }

// savedRules say, for each rule, how a problem becomes a diagnostic.
var savedRules = map[*rule.Rule]func(savedCheck, *derive.Problem, *finding) bool{
	rule.TF1: savedCheck.savedSignature,
	rule.TF2: savedCheck.savedElement,
	rule.TF3: savedCheck.savedCount,
	rule.TF4: savedCheck.onnxName,
	rule.TF5: savedCheck.onnxType,
	rule.TF6: savedCheck.savedDims,
	rule.TF7: savedCheck.onnxBatch,
	rule.TF8: savedCheck.onnxControl,
}

// checkSavedModel compares the config with the signature of a TensorFlow saved model: TF0, and TF1
// to TF8 by derive.CheckSavedModel. All of them are warnings, with the sentence that the backend
// would say: the backend was removed (docs/triton/backends.md, "TensorFlow"), and the Triton that
// still has it is not the one at hand.
func checkSavedModel(base *checker) {
	c := savedCheck{onnxCheck{base}}
	if c.cfg.GetBackend() != backends.TensorFlow || c.cfg.GetPlatform() == backends.GraphDef.Platform || c.m.Problem != nil || c.isEnsemble() {
		return
	}
	if c.m.Facts.SavedModel == nil {
		c.savedUnread()
		return
	}
	reportAll(c, c.onnxCheck, savedRules, derive.CheckSavedModel(c.cfg, c.m.Facts.SavedModel, c.m.Facts.AutoComplete))
}

// reportAll reports the problems that a comparison with a model file found, as the function of each rule says it. One that says false is none.
func reportAll[C any](c C, to onnxCheck, says map[*rule.Rule]func(C, *derive.Problem, *finding) bool, problems []*derive.Problem) {
	for _, p := range problems {
		if to.unsure(p) || to.full() {
			continue
		}
		d := to.problem(p)
		if says[p.Rule](c, p, &d) {
			to.report(d)
		}
	}
}

// savedUnread: TF0.
func (c savedCheck) savedUnread() {
	if c.m.FileProblem == nil || c.rejected {
		return
	}
	c.report(finding{
		rule: rule.TF0, span: c.name("default_model_filename"),
		message: say("the saved_model.pb of version %d cannot be read: %s", newest(c.m), c.m.FileProblem),
	})
}

// savedSignature: the graph or signature that the parameters name, or the usual one, is not in the file.
func (c savedCheck) savedSignature(p *derive.Problem, d *finding) bool {
	key, what, usual := p.Path[1].(string), "signature", "serving_default"
	if key == "TF_GRAPH_TAG" {
		what, usual = "graph with just the tag", "serve"
	}
	named := c.cfg.GetParameters()[key].GetStringValue()
	if named != "" {
		usual = named
	}
	d.message = say("the saved model has no %s %q", what, usual)
	if len(p.Allowed) > 0 {
		d.message += "; it has " + quotedList(p.Allowed)
	}
	if better := guess(usual, p.Allowed); named != "" && better != "" && c.has(p.Path...) {
		d.fixes = replace(say("replace %s by %s", named, better), d.span, text.Quote(better))
	}
	return true
}

func (c savedCheck) savedElement(p *derive.Problem, d *finding) bool {
	d.span = c.name(p.Path...)
	d.message = say("%s %q of the saved model is %s, which the tensorflow backend cannot serve", p.Path[0], p.Allowed[0], strings.TrimPrefix(p.Allowed[1], "DT_"))
	return true
}

// savedCount leaves misnamed inputs to the rule about names.
func (c savedCheck) savedCount(p *derive.Problem, d *finding) bool {
	d.span = c.name("input")
	d.message = say("the config names %s, and the saved model has %d: %s", inputCount(len(c.cfg.GetInput())), len(p.Allowed), quotedList(p.Allowed))
	return true
}

func (c savedCheck) savedDims(p *derive.Problem, d *finding) bool {
	if p.Path[2] == "allow_ragged_batch" {
		return c.onnxRagged(p, d)
	}
	return c.onnxShape(p, d)
}

// savedSignatureTensors are the tensors that the config is compared with, or nil if they are unknown.
func (c *checker) savedSignatureTensors() *modelfile.ONNX {
	if c.m.Facts.SavedModel == nil {
		return nil
	}
	s, err := derive.SavedSignature(c.cfg, c.m.Facts.SavedModel)
	if err != nil || s == nil {
		return nil
	}
	return &modelfile.ONNX{Inputs: s.Inputs, Outputs: s.Outputs}
}
