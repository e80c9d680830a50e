package check

import (
	"errors"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// torchRules say, for each rule, how a problem becomes a diagnostic.
var torchRules = map[string]func(*checker, *derive.Problem, *diag.Diagnostic){
	derive.RuleTorchArgument: (*checker).torchArgument,
	derive.RuleTorchCount:    (*checker).torchCount,
	derive.RuleTorchNone:     (*checker).torchNone,
	derive.RuleTorchType:     (*checker).torchType,
	derive.RuleTorchString:   (*checker).torchString,
	derive.RuleTorchSequence: (*checker).torchSequence,
	derive.RuleTorchName:     (*checker).torchName,
	derive.RuleTorchOutput:   (*checker).torchOutput,
	derive.RuleTorchForward:  (*checker).torchForward,
	derive.RuleTorchOptions:  (*checker).torchOption,
}

// torchScript tells whether libtorch runs the model: not PyTorch in Python, which runtime: "model.py" asks for, and not
// what torch.export made.
func (c *checker) torchScript() bool {
	return c.cfg.GetBackend() == backends.PyTorch && c.cfg.GetPlatform() == backends.TorchScript.Platform && c.cfg.GetRuntime() == "" &&
		c.m.Problem == nil && !c.rejected && !c.isEnsemble()
}

// checkTorch holds the config against a TorchScript archive: PT1, and PT2 to PT10 through derive.CheckTorch.
func (c *checker) checkTorch() {
	if !c.torchScript() {
		return
	}
	c.torchUnread()
	if c.m.Decoded == nil {
		return // L6
	}
	for _, p := range derive.CheckTorch(c.cfg, c.m.Facts.Torch) {
		if c.full() || c.unsure(p) {
			continue
		}
		d := diag.Diagnostic{Code: p.Rule, Span: c.span(p.Path...), Triton: p.Triton}
		torchRules[p.Rule](c, p, &d)
		if p.Late {
			d.Severity = diag.Warning
			c.add(rule.Never, d)
			continue
		}
		at := rule.Instance
		if p.Rule == derive.RuleTorchOptions {
			at = rule.Complete
		}
		c.keep(kept{Diagnostic: d, stage: at, status: rule.Status(p.Code)})
	}
}

// torchUnread: PT1. What libtorch says of a broken archive differs with its version; these are 1.13's words.
func (c *checker) torchUnread() {
	if c.m.FileProblem == nil || c.m.Facts.Torch != nil {
		return
	}
	d := diag.Diagnostic{
		Code: "PT1", Span: c.name("default_model_filename"),
		Message: say("%s of version %d cannot be read: %s", c.modelFile(), newest(c.m), c.m.FileProblem),
	}
	reason := ""
	var broken *modelfile.Error
	switch known := errors.As(c.m.FileProblem, &broken); {
	case known && broken.Lacks != "":
		reason = "failed locating file " + broken.Lacks + ": file not found"
	case known && broken.Truncated && broken.Offset > 0:
		reason = "failed reading zip archive: failed finding central directory"
	case known && broken.Offset == 0:
		reason = "failed reading zip archive: not a ZIP archive"
	}
	if reason == "" {
		d.Severity = diag.Warning
		c.add(rule.Never, d)
		return
	}
	d.Triton = triton("failed to load model '%s': PytorchStreamReader %s", c.cfg.GetName(), reason)
	c.keep(kept{Diagnostic: d, stage: rule.Instance, status: rule.Internal})
}

func (c *checker) torchArgument(p *derive.Problem, d *diag.Diagnostic) {
	d.Span = c.name("input")
	d.Message = say("forward of the model takes %q, which is %s; Triton gives tensors and lists, or a single dictionary of tensors",
		p.Allowed[0], p.Allowed[1])
}

func (c *checker) torchCount(p *derive.Problem, d *diag.Diagnostic) {
	d.Span = c.name("input")
	d.Message = say("the config names %s, and forward of the model takes %d: %s", inputCount(len(c.cfg.GetInput())), len(p.Allowed), quotedList(p.Allowed))
}

func (c *checker) torchNone(p *derive.Problem, d *diag.Diagnostic) {
	d.Message = say("a PyTorch model has to list its %ss: Triton does not find them in the file", p.Path[0])
	if torch := c.m.Facts.Torch; p.Path[0] == "input" && torch != nil && len(torch.Arguments) > 0 && !strings.HasPrefix(torch.Arguments[0].Type, "Dict[") {
		d.Message += "; forward takes " + quotedList(torch.Names())
	}
}

func (c *checker) torchType(p *derive.Problem, d *diag.Diagnostic) {
	t := c.tensorAt(p)
	d.Message = say("%s is %s, a type that libtorch has not", t.called(), t.typ)
}

func (c *checker) torchString(p *derive.Problem, d *diag.Diagnostic) {
	t := c.tensorAt(p)
	d.Message = say("%s is text, which PyTorch gets as one flat list; it has the shape %s here", t.called(), shown(effectiveShape(c.cfg, t.dims)))
	if t.reshape != nil {
		d.Span = c.span(t.path("reshape", "shape")...)
		d.Message = say("%s is text, which PyTorch gets as one flat list; it is reshaped to %s here", t.called(), shown(effectiveShape(c.cfg, t.reshape.Shape)))
	}
}

// torchSequence: sequences want all tensors named by place.
func (c *checker) torchSequence(p *derive.Problem, d *diag.Diagnostic) {
	switch p.Path[0] {
	case "sequence_batching":
		d.Message = "this tensor has to say its place among the arguments of forward by its name, as in NAME__2"
		if p.Path[len(p.Path)-1] == "output_name" {
			d.Message = "this state has to say its place among what forward gives by its name, as in NAME__2"
		}
	default:
		d.Message = say("with states, every %s has to say its place by its name, as in NAME__0; %q does not", p.Path[0], c.tensorAt(p).name)
	}
}

// torchName: inputs whose names lead nowhere.
func (c *checker) torchName(p *derive.Problem, d *diag.Diagnostic) {
	t := c.tensorAt(p)
	switch {
	case p.Triton != "":
		d.Message = say("%s is no argument of forward, which takes %s, and is not named as INPUT__0 is; the inputs then go by their order here",
			t.called(), quotedList(p.Allowed))
		taken := setOf(names(c.cfg.GetInput()))
		free := slices.DeleteFunc(slices.Clone(p.Allowed), func(n string) bool { return taken[n] })
		better := guess(t.name, free)
		if better == "" && len(free) == 1 {
			better = free[0]
		}
		if better != "" && c.has(p.Path...) {
			d.Fixes = replace(say("replace %s by %s", t.name, better), d.Span, text.Quote(better))
		}
	case p.Allowed != nil:
		d.Message = say("%s stands for a place that forward has not: it takes %d, and places count from 0", t.called(), len(p.Allowed))
	default:
		_, place, _ := strings.Cut(t.name, "__")
		d.Message = say("another input has place %s too, so that one of them never reaches the model", place)
	}
}

// torchOutput: what forward gives does not go round.
func (c *checker) torchOutput(p *derive.Problem, d *diag.Diagnostic) {
	if p.Triton == "" {
		d.Span = c.name("output")
		d.Message = say("forward of the model gives %s; Triton answers with tensors, lists of text, or a tuple of these, so that requests will fail", p.Allowed[0])
		return
	}
	gives := "1 output"
	if len(p.Allowed) != 1 {
		gives = say("%d outputs", len(p.Allowed))
	}
	d.Message = say("forward of the model gives %s, and %s stands for one beyond; requests will fail", gives, c.tensorAt(p).called())
}

func (c *checker) torchForward(p *derive.Problem, d *diag.Diagnostic) {
	d.Span = c.name("default_model_filename")
	d.Message = say("the model's class %s has no method forward, which is what Triton calls", p.Allowed[0])
}

// torchOption: a value that the backend cannot read.
func (c *checker) torchOption(p *derive.Problem, d *diag.Diagnostic) { c.optionValue(p, d) }

// checkPlan: TRT0. What a plan holds is known to TensorRT alone, so that this is only about its first bytes.
func (c *checker) checkPlan() {
	if c.cfg.GetBackend() != backends.TensorRT || c.m.FileProblem == nil || c.m.Facts.Plan != nil || c.rejected {
		return
	}
	c.add(rule.Never, diag.Diagnostic{
		Severity: diag.Warning, Code: "TRT0", Span: c.name("default_model_filename"),
		Message: say("%s of version %d cannot be read: %s", c.cfg.GetDefaultModelFilename(), newest(c.m), c.m.FileProblem),
	})
}
