package check

import (
	"strings"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// savedRules say, for each rule, how a problem becomes a diagnostic.
var savedRules = map[string]func(*checker, *derive.Problem, *diag.Diagnostic) bool{
	derive.RuleSavedSignature: (*checker).savedSignature,
	derive.RuleSavedElement:   (*checker).savedElement,
	derive.RuleSavedCount:     (*checker).savedCount,
	derive.RuleSavedName:      (*checker).onnxName,
	derive.RuleSavedType:      (*checker).onnxType,
	derive.RuleSavedDims:      (*checker).savedDims,
	derive.RuleSavedBatch:     (*checker).onnxBatch,
	derive.RuleSavedControl:   (*checker).onnxControl,
}

// checkSavedModel holds the config against the signature of a TensorFlow saved model: TF0, and TF1 to TF8 through
// derive.CheckSavedModel. They are warnings, with the sentence that the backend would say, as everything is that is
// told of its files: it is retired (triton-config C.13), and the Triton that still has it is not the one at hand.
func (c *checker) checkSavedModel() {
	if c.cfg.GetBackend() != backends.TensorFlow || c.cfg.GetPlatform() == backends.GraphDef.Platform || c.m.Problem != nil || c.isEnsemble() {
		return
	}
	if c.m.Facts.SavedModel == nil {
		c.savedUnread()
		return
	}
	for _, p := range derive.CheckSavedModel(c.cfg, c.m.Facts.SavedModel, c.m.Facts.AutoComplete) {
		if c.unsure(p) || c.full() {
			continue
		}
		d := diag.Diagnostic{Severity: diag.Warning, Code: p.Rule, Span: c.span(p.Path...), Triton: p.Triton}
		if savedRules[p.Rule](c, p, &d) {
			c.add(rule.Never, d)
		}
	}
}

// savedUnread: TF0.
func (c *checker) savedUnread() {
	if c.m.FileProblem == nil || c.rejected {
		return
	}
	c.add(rule.Never, diag.Diagnostic{
		Severity: diag.Warning, Code: "TF0", Span: c.name("default_model_filename"),
		Message: say("the saved_model.pb of version %d cannot be read: %s", newest(c.m), c.m.FileProblem),
	})
}

// savedSignature: the graph or signature that the parameters name, or the usual one, is not in the file.
func (c *checker) savedSignature(p *derive.Problem, d *diag.Diagnostic) bool {
	key, what, usual := p.Path[1].(string), "signature", "serving_default"
	if key == "TF_GRAPH_TAG" {
		what, usual = "graph with just the tag", "serve"
	}
	named := c.cfg.GetParameters()[key].GetStringValue()
	if named != "" {
		usual = named
	}
	d.Message = say("the saved model has no %s %q", what, usual)
	if len(p.Allowed) > 0 {
		d.Message += "; it has " + quotedList(p.Allowed)
	}
	if better := guess(usual, p.Allowed); named != "" && better != "" && c.has(p.Path...) {
		d.Fixes = replace(say("replace %s by %s", named, better), d.Span, text.Quote(better))
	}
	return true
}

func (c *checker) savedElement(p *derive.Problem, d *diag.Diagnostic) bool {
	d.Span = c.name(p.Path...)
	d.Message = say("%s %q of the saved model is %s, which the tensorflow backend cannot serve", p.Path[0], p.Allowed[0], strings.TrimPrefix(p.Allowed[1], "DT_"))
	return true
}

// savedCount leaves what is misnamed to the rule about names.
func (c *checker) savedCount(p *derive.Problem, d *diag.Diagnostic) bool {
	d.Span = c.name("input")
	d.Message = say("the config names %s, and the saved model has %d: %s", inputCount(len(c.cfg.GetInput())), len(p.Allowed), quotedList(p.Allowed))
	return true
}

func (c *checker) savedDims(p *derive.Problem, d *diag.Diagnostic) bool {
	if p.Path[2] == "allow_ragged_batch" {
		return c.onnxRagged(p, d)
	}
	return c.onnxShape(p, d)
}

// savedSignatureTensors are the tensors that the config is held against; nil where that cannot be told.
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
