package check

import (
	"errors"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// torchCheck compares a config with a TorchScript archive.
type torchCheck struct{ onnxCheck }

// torchRules say, for each rule, how a problem becomes a diagnostic.
var torchRules = map[*rule.Rule]func(torchCheck, *derive.Problem, *finding){
	rule.PT2:  torchCheck.torchArgument,
	rule.PT3:  torchCheck.torchCount,
	rule.PT4:  torchCheck.torchNone,
	rule.PT5:  torchCheck.torchType,
	rule.PT6:  torchCheck.torchString,
	rule.PT7:  torchCheck.torchSequence,
	rule.PT8:  torchCheck.torchName,
	rule.PT9:  torchCheck.torchOutput,
	rule.PT10: torchCheck.torchForward,
	rule.PT11: torchCheck.torchOption,
}

// torchScript reports whether libtorch runs the model: not PyTorch in Python, which runtime: "model.py" asks for, and not
// what torch.export made.
func (c *checker) torchScript() bool {
	return c.cfg.GetBackend() == backends.PyTorch && c.cfg.GetPlatform() == backends.TorchScript.Platform && c.cfg.GetRuntime() == "" &&
		c.m.Problem == nil && !c.rejected && !c.isEnsemble()
}

// checkTorch compares the config with a TorchScript archive: PT1, and PT2 to PT10 through derive.CheckTorch.
func checkTorch(base *checker) {
	c := torchCheck{onnxCheck{base}}
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
		d := c.problem(p)
		torchRules[p.Rule](c, p, &d)
		c.report(d)
	}
}

// torchUnread: PT1. libtorch's sentence about a broken archive differs between its versions; these are from 1.13.
func (c torchCheck) torchUnread() {
	if c.m.FileProblem == nil || c.m.Facts.Torch != nil {
		return
	}
	d := finding{
		rule: rule.PT1, span: c.name("default_model_filename"),
		message: say("%s of version %d cannot be read: %s", c.modelFile(), newest(c.m), c.m.FileProblem),
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
		d.taken, d.unsaid = true, true
		c.report(d)
		return
	}
	d.args = values(c.cfg.GetName(), reason)
	c.report(d)
}

func (c torchCheck) torchArgument(p *derive.Problem, d *finding) {
	d.span = c.name("input")
	d.message = say("forward of the model takes %q, which is %s; Triton gives tensors and lists, or a single dictionary of tensors",
		p.Allowed[0], p.Allowed[1])
}

func (c torchCheck) torchCount(p *derive.Problem, d *finding) {
	d.span = c.name("input")
	d.message = say("the config names %s, and forward of the model takes %d: %s", inputCount(len(c.cfg.GetInput())), len(p.Allowed), quotedList(p.Allowed))
}

func (c torchCheck) torchNone(p *derive.Problem, d *finding) {
	d.message = say("a PyTorch model has to list its %ss: Triton does not find them in the file", p.Path[0])
	if torch := c.m.Facts.Torch; p.Path[0] == "input" && torch != nil && len(torch.Arguments) > 0 && !strings.HasPrefix(torch.Arguments[0].Type, "Dict[") {
		d.message += "; forward takes " + quotedList(torch.Names())
	}
}

func (c torchCheck) torchType(p *derive.Problem, d *finding) {
	t := c.tensorAt(p)
	d.message = say("%s is %s, a type that libtorch does not have", t.called(), t.typ)
}

func (c torchCheck) torchString(p *derive.Problem, d *finding) {
	t := c.tensorAt(p)
	d.message = say("%s is text, which PyTorch gets as one flat list; it has the shape %s here", t.called(), shown(effectiveShape(c.cfg, t.dims)))
	if t.reshape != nil {
		d.span = c.span(t.path("reshape", "shape")...)
		d.message = say("%s is text, which PyTorch gets as one flat list; it is reshaped to %s here", t.called(), shown(effectiveShape(c.cfg, t.reshape.Shape)))
	}
}

// torchSequence: with sequences, the names of all tensors must end in their places.
func (c torchCheck) torchSequence(p *derive.Problem, d *finding) {
	switch p.Path[0] {
	case "sequence_batching":
		d.message = "the name of this tensor must end in its place among the arguments of forward, as in NAME__2"
		if p.Path[len(p.Path)-1] == "output_name" {
			d.message = "the name of this state must end in its place among the values that forward returns, as in NAME__2"
		}
	default:
		d.message = say("with states, the name of every %s must end in its place, as in NAME__0; %q does not", p.Path[0], c.tensorAt(p).name)
	}
}

// torchName: inputs whose names lead to no argument.
func (c torchCheck) torchName(p *derive.Problem, d *finding) {
	t := c.tensorAt(p)
	switch {
	case p.Triton != "":
		d.message = say("%s is not an argument of forward, which takes %s, and its name has no place, as INPUT__0 has; Triton then takes the inputs in their order here",
			t.called(), quotedList(p.Allowed))
		taken := setOf(names(c.cfg.GetInput()))
		free := slices.DeleteFunc(slices.Clone(p.Allowed), func(n string) bool { return taken[n] })
		better := guess(t.name, free)
		if better == "" && len(free) == 1 {
			better = free[0]
		}
		if better != "" && c.has(p.Path...) {
			d.fixes = replace(say("replace %s by %s", t.name, better), d.span, text.Quote(better))
		}
	case p.Allowed != nil:
		d.message = say("the place of %s is beyond the arguments of forward: it takes %d, and places count from 0", t.called(), len(p.Allowed))
	default:
		_, place, _ := strings.Cut(t.name, "__")
		d.message = say("another input has place %s too, so one of them never reaches the model", place)
	}
}

// torchOutput: forward does not return the outputs of the config.
func (c torchCheck) torchOutput(p *derive.Problem, d *finding) {
	if p.Triton == "" {
		d.span = c.name("output")
		d.message = say("forward of the model returns %s; Triton answers with tensors, lists of text, or a tuple of these, so requests will fail", p.Allowed[0])
		return
	}
	gives := "1 output"
	if len(p.Allowed) != 1 {
		gives = say("%d outputs", len(p.Allowed))
	}
	d.message = say("forward of the model returns %s, and %s is beyond the last one; requests will fail", gives, c.tensorAt(p).called())
}

func (c torchCheck) torchForward(p *derive.Problem, d *finding) {
	d.span = c.name("default_model_filename")
	d.message = say("the model's class %s has no method forward, which is what Triton calls", p.Allowed[0])
}

// torchOption: a value that the backend cannot read.
func (c torchCheck) torchOption(p *derive.Problem, d *finding) { c.optionValue(p, d) }

// checkPlan: TRT0. Only TensorRT can read a plan, so this checks only its first bytes.
func checkPlan(c *checker) {
	if c.cfg.GetBackend() != backends.TensorRT || c.m.FileProblem == nil || c.m.Facts.Plan != nil || c.rejected {
		return
	}
	c.report(finding{
		rule: rule.TRT0, span: c.name("default_model_filename"),
		message: say("%s of version %d cannot be read: %s", c.cfg.GetDefaultModelFilename(), newest(c.m), c.m.FileProblem),
	})
}
