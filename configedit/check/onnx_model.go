package check

import (
	"slices"
	"strconv"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/edit"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// onnxRules says, for each rule, how a problem becomes a diagnostic. Problems of other rules keep Triton's words.
var onnxRules = map[*rule.Rule]func(onnxCheck, *derive.Problem, *finding) bool{
	rule.ORT1: onnxCheck.onnxCount,
	rule.ORT2: onnxCheck.onnxName,
	rule.ORT3: onnxCheck.onnxName,
	rule.ORT4: onnxCheck.onnxType,
	rule.ORT5: onnxCheck.onnxShape,
	rule.ORT7: onnxCheck.onnxShape,
	rule.ORT6: onnxCheck.onnxBatch,

	rule.ORT8:  onnxCheck.onnxKind,
	rule.ORT9:  onnxCheck.onnxOptional,
	rule.ORT10: onnxCheck.onnxRagged,
	rule.ORT11: onnxCheck.onnxControl,
	rule.ORT12: onnxCheck.onnxOption,
}

// onnxCheck compares a config with a model file. It also holds what several backends have in common.
type onnxCheck struct{ *checker }

// checkONNX compares the config with the model file (docs/triton/onnx.md, "What must agree"), by
// derive.CheckONNX.
func checkONNX(base *checker) {
	c := onnxCheck{base}
	if c.m.Facts.ONNX == nil || c.cfg.GetBackend() != backends.ONNXRuntime || c.m.Problem != nil || c.isEnsemble() {
		return
	}
	problems := derive.CheckONNX(c.cfg, c.m.Facts.ONNX)
	if slices.ContainsFunc(problems, absentControl) { // the count is wrong because the control is missing
		problems = slices.DeleteFunc(slices.Clone(problems), func(p *derive.Problem) bool { return p.Rule == rule.ORT1 })
	}
	batch := false
	for _, p := range problems {
		if p.Rule == rule.ORT6 && batch || c.unsure(p) || c.full() {
			continue
		}
		batch = batch || p.Rule == rule.ORT6
		d := c.problem(p)
		d.message = "the onnxruntime backend refuses this: " + p.Triton
		if say := onnxRules[p.Rule]; say != nil && !say(c, p, &d) {
			continue
		}
		c.report(d)
	}
}

func absentControl(p *derive.Problem) bool {
	return p.Rule == rule.ORT11 && p.Tensor == nil
}

// counting are the rules about how many tensors there are.
var counting = []*rule.Rule{rule.ORT1, rule.OV1, rule.TF3, rule.PT3, rule.PT4}

// unsure reports whether a mistake in the text may be the only cause of a problem.
func (c onnxCheck) unsure(p *derive.Problem) bool {
	if len(c.slips.list) == 0 {
		return false
	}
	if slices.Contains(counting, p.Rule) {
		return c.unread(named, "input", "output", "sequence_batching", "state")
	}
	if len(p.Path) >= 2 && (p.Path[0] == "input" || p.Path[0] == "output") {
		return c.spoiled(p.Path[:2]...) || c.unread(nil, "max_batch_size")
	}
	field, _ := p.Path[0].(string)
	return c.unread(nil, field) || field == "max_batch_size" && c.unread(nil, "input", "output")
}

// tensorAt returns the tensor that a problem's path leads to.
func (c onnxCheck) tensorAt(p *derive.Problem) *tensor {
	if len(p.Path) >= 2 {
		side, index := p.Path[0], p.Path[1]
		if i, ok := index.(int); ok && side == "input" && i < len(c.cfg.GetInput()) {
			t := inputTensor(i, c.cfg.Input[i])
			return &t
		} else if ok && side == "output" && i < len(c.cfg.GetOutput()) {
			t := outputTensor(i, c.cfg.Output[i])
			return &t
		}
	}
	return &tensor{side: "input", index: -1}
}

// onnxCount: inputs that the config leaves out.
func (c onnxCheck) onnxCount(p *derive.Problem, d *finding) bool {
	var missing []modelfile.Tensor
	given := setOf(names(c.cfg.GetInput()))
	for _, t := range c.fileTensors().Inputs {
		if !given[t.Name] {
			missing = append(missing, t)
		}
	}
	d.span = c.name("input")
	if len(missing) == 0 || len(p.Allowed)-len(missing) < len(c.cfg.GetInput()) { // some are misnamed or too many
		d.message = say("the config names %s, and the model file has %d: %s", inputCount(len(c.cfg.GetInput())), len(p.Allowed), quotedList(p.Allowed))
		return true
	}
	listed := make([]string, len(missing))
	for i, t := range missing {
		listed[i] = t.Name
	}
	word := "input"
	if len(listed) > 1 {
		word = "inputs"
	}
	d.message = say("the model file also has %s %s, which the config leaves out", word, quotedList(listed))
	d.fixes = c.addTensors("input", missing)
	return true
}

func inputCount(n int) string {
	if n == 1 {
		return "1 input"
	}
	return say("%d inputs", n)
}

// addTensors returns a fix that declares inputs or outputs as the model file has them.
func (c onnxCheck) addTensors(side string, missing []modelfile.Tensor) []diag.Fix {
	root := c.message()
	if root == nil {
		return nil
	}
	var blocks []string
	for _, t := range missing {
		dims := c.onnxDims(&tensor{side: side, name: t.Name})
		if t.Type == modelconfig.DataType_TYPE_INVALID || dims == nil {
			return nil
		}
		blocks = append(blocks, say("%s {\n  name: %s\n  data_type: %s\n  dims: %s\n}", side, text.Quote(t.Name), t.Type, shapeText(dims)))
	}
	block := strings.Join(blocks, "\n")
	fix := diag.Fix{Title: "add what the model file has"}
	if into := c.intoList(root, side, blocks); into != nil {
		fix.Edits = []diag.Edit{*into}
		return []diag.Fix{fix}
	}
	for i := len(root.Fields) - 1; i >= 0; i-- {
		if root.Fields[i].Name.Text == side {
			fix.Edits = []diag.Edit{edit.InsertAfter(c.m.Decoded.Doc, root, root.Fields[i], block)}
			return []diag.Fix{fix}
		}
	}
	fix.Edits = []diag.Edit{edit.Insert(c.m.Decoded.Doc, root, block)}
	return []diag.Fix{fix}
}

// intoList adds blocks to the last list of a side in the text. It returns nil if there is no list.
func (c onnxCheck) intoList(root *text.Message, side string, blocks []string) *diag.Edit {
	var list *text.List
	for _, f := range root.Fields {
		if f.Name.Text == side {
			list, _ = f.Value.(*text.List)
		}
	}
	if list == nil || len(list.Elements) == 0 || list.Elements[len(list.Elements)-1].Value == nil {
		return nil
	}
	last := list.Elements[len(list.Elements)-1].Value.Span()
	file := c.m.Decoded.File
	line, _ := file.Position(last.Start)
	start := file.LineSpan(line).Start
	before := file.Slice(diag.Span{Start: start, End: last.Start})
	sep := ", "
	if strings.TrimSpace(before) == "" { // elements begin lines
		sep = ",\n" + before
	}
	add := ""
	for _, b := range blocks {
		add += sep + strings.Join(strings.Fields(strings.TrimPrefix(b, side+" ")), " ")
	}
	return &diag.Edit{Span: diag.Span{Start: last.End, End: last.End}, New: add}
}

// onnxName: an input or output that the model file lacks.
func (c onnxCheck) onnxName(p *derive.Problem, d *finding) bool {
	t := c.tensorAt(p)
	if t.name == "" {
		return false
	}
	taken := map[string]bool{} // by the text: what was filled in does not count
	listed := names(c.cfg.GetInput())
	if t.side == "output" {
		listed = names(c.cfg.GetOutput())
	}
	for i, name := range listed {
		taken[name] = c.has(t.side, i)
	}
	free := slices.DeleteFunc(slices.Clone(p.Allowed), func(n string) bool { return taken[n] })
	better := guess(t.name, free)
	if better == "" && len(free) == 1 {
		better = free[0]
	}
	d.message = say("the model file has no %s; it has %s", t.called(), quotedList(p.Allowed))
	if better != "" && c.has(p.Path...) {
		d.fixes = replace(say("replace %s by %s", t.name, better), d.span, text.Quote(better))
	}
	return true
}

func (c onnxCheck) onnxType(p *derive.Problem, d *finding) bool {
	t := c.tensorAt(p)
	if t.typ == modelconfig.DataType_TYPE_INVALID {
		return false
	}
	d.message = say("%s is %s here, %s in the model file", t.called(), t.typ, p.Tensor.Type)
	if p.Tensor.Type == modelconfig.DataType_TYPE_INVALID {
		d.message = say("%s has a type in the model file that a config cannot name", t.called())
		return true
	}
	if c.has(p.Path...) {
		d.fixes = replace(say("replace %s by %s", t.typ, p.Tensor.Type), d.span, p.Tensor.Type.String())
	}
	return true
}

func (c onnxCheck) onnxShape(p *derive.Problem, d *finding) bool {
	t := c.tensorAt(p)
	if len(t.dims) == 0 || slices.ContainsFunc(t.dims, wrongDim) {
		return false
	}
	dims := t.dims
	if t.reshape != nil {
		dims = t.reshape.Shape
		d.span = c.span(t.path("reshape", "shape")...)
	}
	d.message = say("%s is %s here, %s in the model file", t.called(), shown(effectiveShape(c.cfg, dims)), shown(p.Tensor.Sizes()))
	want := c.onnxDims(t)
	if t.reshape == nil && slices.Equal(want, dims) { // the tensor has the batch dimension alone
		d.fixes = c.insert("reshape: { shape: [ ] }", t.path()...)
		return true
	}
	if len(want) == 1 && len(dims) == 1 && want[0] > 0 && dims[0] > 0 {
		d.message = say("%s has %d elements here, %d in the model file", t.called(), dims[0], want[0])
	}
	if !c.givesBatch() && c.cfg.GetMaxBatchSize() > 0 {
		d.message += say("; max_batch_size is not given and becomes %d, so dims do not include the batch dimension", c.cfg.GetMaxBatchSize())
	}
	if want == nil {
		return true
	}
	if t.side == "output" && p.Tensor.Inferred && len(want) == len(dims) {
		want = slices.Clone(want)
		for i, size := range dims { // a size that the file leaves open stays as written
			if want[i] == -1 {
				want[i] = size
			}
		}
	}
	d.fixes = c.setDims(want, t.path("dims")...)
	if i := oneWrong(t.side, dims, want); i >= 0 && t.reshape == nil && c.has(t.path("dims", i)...) {
		d.span = c.span(t.path("dims", i)...) // the rest of the list keeps its layout
		fixed := slices.Clone(dims)
		fixed[i] = want[i]
		d.fixes = replace("change dims to "+shapeText(fixed), d.span, strconv.FormatInt(want[i], 10))
	}
	return true
}

// oneWrong returns the index of the only dimension that does not fit, or -1 if there are several or the counts differ.
func oneWrong(side string, dims, want []int64) int {
	if len(dims) != len(want) {
		return -1
	}
	found := -1
	for i, d := range dims {
		if d == want[i] || side == "input" && want[i] == -1 {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// givesBatch reports whether the text gives a max_batch_size, be it by a misspelt name that means it.
func (c onnxCheck) givesBatch() bool {
	return c.has("max_batch_size") || c.m.Decoded != nil && c.m.Decoded.Config.GetMaxBatchSize() > 0
}

func (c onnxCheck) onnxBatch(p *derive.Problem, d *finding) bool {
	d.message = say("tensor %q of the model file is %s: its first dimension is fixed, so it takes no batches, and max_batch_size is %d",
		p.Tensor.Name, shown(p.Tensor.Sizes()), c.cfg.GetMaxBatchSize())
	if c.has("max_batch_size") {
		d.fixes = replace(say("replace %d by 0", c.cfg.GetMaxBatchSize()), d.span, "0")
	}
	return true
}

// onnxKind: sequences, maps and the like.
func (c onnxCheck) onnxKind(p *derive.Problem, d *finding) bool {
	d.span = c.name(p.Path...)
	d.message = say("%q of the model file is not a tensor (%s), and only tensors can be served", p.Tensor.Name, p.Tensor.Kind)
	return true
}

func (c onnxCheck) onnxOptional(p *derive.Problem, d *finding) bool {
	d.message = say("%s is optional, which needs a model that does not batch; max_batch_size is %d", c.tensorAt(p).called(), c.cfg.GetMaxBatchSize())
	d.fixes = replace("replace the value by false", d.span, "false")
	return true
}

func (c onnxCheck) onnxRagged(p *derive.Problem, d *finding) bool {
	t := c.tensorAt(p)
	d.message = say("%s is ragged, which needs a flat tensor [-1] in the model file", t.called())
	if p.Tensor != nil {
		d.message += say(", and it is %s", shown(p.Tensor.Sizes()))
	} else {
		d.message = say("%s cannot be both ragged and optional", t.called())
	}
	return true
}

func (c onnxCheck) onnxControl(p *derive.Problem, d *finding) bool {
	if p.Tensor == nil {
		d.message = say("the model file has no input for this control; it has %s", quotedList(p.Allowed))
		return true
	}
	d.message = say("the model file has this control as %s %s, which does not fit", apiName(p.Tensor.Type), shown(p.Tensor.Sizes()))
	return true
}
