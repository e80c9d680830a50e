package check

import (
	"slices"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// batchTensors checks batch inputs and batch outputs against the names of inputs and outputs.
type batchTensors struct {
	*checker
	inputs, outputs []string
}

// checkBatchTensors: B1 to B9 (ValidateBatchIO).
func checkBatchTensors(base *checker) {
	c := batchTensors{base, names(base.cfg.GetInput()), names(base.cfg.GetOutput())}
	for i, in := range c.cfg.GetBatchInput() {
		if c.full() {
			return
		}
		c.batchInput(i, in)
	}
	for i, out := range c.cfg.GetBatchOutput() {
		if c.full() {
			return
		}
		c.batchOutput(i, out)
	}
}

func (c batchTensors) batchInput(i int, in *modelconfig.BatchInput) {
	path := []any{"batch_input", i}
	if c.spoiled(path...) {
		return
	}
	if modelconfig.BatchInput_Kind_name[int32(in.Kind)] == "" {
		c.report(finding{
			rule: rule.B2, span: c.span("batch_input", i, "kind"), args: values(c.cfg.GetName()),
			message: say("there is no kind of batch input with the number %d", in.Kind),
		})
		return
	}
	if parsed := c.m.Facts.AutoComplete && in.DataType == modelconfig.DataType_TYPE_INVALID && backends.Named(c.cfg.GetBackend()).ParsesBatchInputs; parsed && c.batchType(i, in, parsed) {
		return
	}
	if n := len(in.SourceInput); n != 1 {
		c.report(finding{
			rule: rule.B1, span: c.name("batch_input", i, "source_input"), args: values(in.Kind, n, c.cfg.GetName()),
			message: say("a batch input is made from one input, and this one names %d", n),
		})
		return
	}
	c.batchType(i, in, false)
	c.sourceInput(rule.B4, in.SourceInput[0], "batch_input", i, "source_input", 0)
}

// batchType: B3; true when the type is wrong.
func (c batchTensors) batchType(i int, in *modelconfig.BatchInput, parsed bool) bool {
	path := []any{"batch_input", i}
	wrong := in.DataType != modelconfig.DataType_TYPE_INT32 && in.DataType != modelconfig.DataType_TYPE_FP32
	if wrong {
		d := finding{
			rule: rule.B3, span: c.span("batch_input", i, "data_type"), args: values(c.cfg.GetName()),
			message: say("a batch input is TYPE_INT32 or TYPE_FP32, and this one %s", in.DataType),
		}
		if !c.has("batch_input", i, "data_type") {
			d.message = "the batch input does not say its data_type, TYPE_INT32 or TYPE_FP32"
			d.fixes = c.insert("data_type: TYPE_INT32", path...)
		}
		if parsed {
			d.also, d.args, d.stage = 1, values(typeName(in.DataType)), rule.Complete
			c.report(d)
			return true
		}
		c.report(d)
	}
	return wrong
}

// sourceInput: B4 and B7.
func (c batchTensors) sourceInput(r *rule.Rule, source string, path ...any) {
	switch {
	case slices.Contains(c.inputs, source):
	case len(c.inputs) == 0:
		c.ioUnlessFilled(&tensor{name: source}, finding{
			rule: r, span: c.span(path...), args: values(source, c.cfg.GetName()),
			message: say("there is no input %q", source),
		})
	default:
		c.unknownTensor(r, "input", unknownName{source, c.inputs, path})
	}
}

// unknownName reports a name at a path that is not one of the known names.
type unknownName struct {
	name  string
	known []string
	path  []any
}

func (c batchTensors) unknownTensor(r *rule.Rule, side string, u unknownName) {
	d := finding{
		rule: r, span: c.span(u.path...), args: values(u.name, c.cfg.GetName()),
		message: say("there is no %s %q", side, u.name),
	}
	better := guess(u.name, u.known)
	tail, fixes := didYouMean(u.name, better, d.span, text.Quote(better))
	d.message, d.fixes = d.message+tail, fixes
	c.report(d)
}

func (c batchTensors) batchOutput(i int, out *modelconfig.BatchOutput) {
	if c.spoiled("batch_output", i) {
		return
	}
	if modelconfig.BatchOutput_Kind_name[int32(out.Kind)] == "" {
		c.report(finding{
			rule: rule.B6, span: c.span("batch_output", i, "kind"), args: values(c.cfg.GetName()),
			message: say("there is no kind of batch output with the number %d", out.Kind),
		})
		return
	}
	if n := len(out.SourceInput); n != 1 {
		c.report(finding{
			rule: rule.B5, span: c.name("batch_output", i, "source_input"), args: values(out.Kind, n, c.cfg.GetName()),
			message: say("a batch output is shaped by one input, and this one names %d", n),
		})
		return
	}
	if c.unread(named, "input", "output") {
		return
	}
	c.sourceInput(rule.B7, out.SourceInput[0], "batch_output", i, "source_input", 0)
	for j, target := range out.TargetName {
		path := []any{"batch_output", i, "target_name", j}
		switch {
		case !slices.Contains(c.outputs, target) && len(c.outputs) > 0:
			c.unknownTensor(rule.B8, "output", unknownName{target, c.outputs, path})
		case slices.Contains(out.TargetName[:j], target):
			c.report(finding{
				rule: rule.B9, span: c.span(path...), args: values(target, c.cfg.GetName()),
				message: say("output %q is listed twice", target),
			})
		}
	}
}
