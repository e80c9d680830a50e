package check

import (
	"slices"

	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// checkBatchTensors: B1 to B9 (ValidateBatchIO).
func (c *checker) checkBatchTensors() {
	inputs, outputs := names(c.cfg.GetInput()), names(c.cfg.GetOutput())
	for i, in := range c.cfg.GetBatchInput() {
		if c.full() {
			return
		}
		c.batchInput(i, in, inputs)
	}
	for i, out := range c.cfg.GetBatchOutput() {
		if c.full() {
			return
		}
		c.batchOutput(i, out, batchNames{inputs, outputs})
	}
}

func (c *checker) batchInput(i int, in *modelconfig.BatchInput, inputs []string) {
	path := []any{"batch_input", i}
	if c.spoiled(path...) {
		return
	}
	if modelconfig.BatchInput_Kind_name[int32(in.Kind)] == "" {
		c.io(diag.Diagnostic{
			Code: "B2", Span: c.span("batch_input", i, "kind"), Message: say("there is no kind of batch input with the number %d", in.Kind),
			Triton: "unknown batch input kind ''",
		})
		return
	}
	if parsed := c.m.Facts.AutoComplete && in.DataType == modelconfig.DataType_TYPE_INVALID && backends.Named(c.cfg.GetBackend()).ParsesBatchInputs; parsed && c.batchType(i, in, parsed) {
		return
	}
	if n := len(in.SourceInput); n != 1 {
		c.io(diag.Diagnostic{
			Code: "B1", Span: c.name("batch_input", i, "source_input"), Message: say("a batch input is made from one input, and this one names %d", n),
			Triton: triton("batch input kind '%s' expects 1 source input, got %d", in.Kind, n),
		})
		return
	}
	c.batchType(i, in, false)
	c.sourceInput("B4", in.SourceInput[0], inputs, "batch_input", i, "source_input", 0)
}

// batchType: B3; true when the type is wrong.
func (c *checker) batchType(i int, in *modelconfig.BatchInput, parsed bool) bool {
	path := []any{"batch_input", i}
	wrong := in.DataType != modelconfig.DataType_TYPE_INT32 && in.DataType != modelconfig.DataType_TYPE_FP32
	if wrong {
		d := diag.Diagnostic{
			Code: "B3", Span: c.span("batch_input", i, "data_type"),
			Message: say("a batch input is TYPE_INT32 or TYPE_FP32, and this one %s", in.DataType),
			Triton:  "batch input data type must be TYPE_INT32 or TYPE_FP32",
		}
		if !c.has("batch_input", i, "data_type") {
			d.Message = "the batch input does not say its data_type, TYPE_INT32 or TYPE_FP32"
			d.Fixes = c.insert("data_type: TYPE_INT32", path...)
		}
		if parsed {
			d.Triton = triton("unexpected batch input data type '%s'", typeName(in.DataType))
			c.add(rule.Complete, d)
			return true
		}
		c.io(d)
	}
	return wrong
}

// sourceInput: B4 and B7.
func (c *checker) sourceInput(code, source string, inputs []string, path ...any) {
	sentence := triton("unknown source input name '%s'", source)
	switch {
	case slices.Contains(inputs, source):
	case len(inputs) == 0:
		c.ioUnlessFilled(&tensor{name: source}, diag.Diagnostic{
			Code: code, Span: c.span(path...), Message: say("there is no input %q", source), Triton: sentence,
		})
	default:
		c.unknownTensor(code, say("there is no input %q", source), sentence, unknownName{source, inputs, path})
	}
}

// unknownName is a name at a path that is none of the known ones.
type unknownName struct {
	name  string
	known []string
	path  []any
}

func (c *checker) unknownTensor(code, message, sentence string, u unknownName) {
	d := diag.Diagnostic{Code: code, Span: c.span(u.path...), Message: message, Triton: sentence}
	better := guess(u.name, u.known)
	tail, fixes := didYouMean(u.name, better, d.Span, text.Quote(better))
	d.Message, d.Fixes = d.Message+tail, fixes
	c.io(d)
}

// batchNames are the names of a config's inputs and outputs.
type batchNames struct{ inputs, outputs []string }

func (c *checker) batchOutput(i int, out *modelconfig.BatchOutput, known batchNames) {
	if c.spoiled("batch_output", i) {
		return
	}
	if modelconfig.BatchOutput_Kind_name[int32(out.Kind)] == "" {
		c.io(diag.Diagnostic{
			Code: "B6", Span: c.span("batch_output", i, "kind"), Message: say("there is no kind of batch output with the number %d", out.Kind),
			Triton: "unknown batch output kind ''",
		})
		return
	}
	if n := len(out.SourceInput); n != 1 {
		c.io(diag.Diagnostic{
			Code: "B5", Span: c.name("batch_output", i, "source_input"), Message: say("a batch output is shaped by one input, and this one names %d", n),
			Triton: triton("batch output kind '%s' expects 1 source input, got %d", out.Kind, n),
		})
		return
	}
	c.sourceInput("B7", out.SourceInput[0], known.inputs, "batch_output", i, "source_input", 0)
	for j, target := range out.TargetName {
		path := []any{"batch_output", i, "target_name", j}
		switch {
		case !slices.Contains(known.outputs, target) && len(known.outputs) > 0:
			c.unknownTensor("B8", say("there is no output %q", target), triton("unknown target output name '%s'", target), unknownName{target, known.outputs, path})
		case slices.Contains(out.TargetName[:j], target):
			c.io(diag.Diagnostic{
				Code: "B9", Span: c.span(path...), Message: say("output %q is listed twice", target),
				Triton: triton("target output name '%s' can only be specified once", target),
			})
		}
	}
}
