package derive

import (
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
)

// CheckONNX compares a completed config with the model file as Triton's ONNX backend does when it
// makes an instance (docs/triton/onnx.md, "What must agree"). The first problem is the one that
// Triton would report; the others are what it would find next. Tensors whose shape the file leaves
// open are not compared with dims.
func CheckONNX(cfg *modelconfig.ModelConfig, model *modelfile.ONNX) []*Problem {
	c := &onnxCheck{cfg: cfg, model: model}
	_, c.problems = ParseONNXOptions(cfg)
	c.accelerators()
	c.controls()
	c.inputs()
	c.outputs()
	return c.problems
}

type onnxCheck struct {
	cfg      *modelconfig.ModelConfig
	model    *modelfile.ONNX
	problems []*Problem
	// present counts the kinds of sequence control that the config has.
	present int
}

func (c *onnxCheck) add(p *Problem) {
	if p.Code == "" {
		p.Code = rule.Invalid
	}
	c.problems = append(c.problems, p)
}

// enoughProblems is how many problems of one model are looked for: each names all tensors that would be right.
const enoughProblems = 200

func (c *onnxCheck) enough() bool { return len(c.problems) >= enoughProblems }

// addOnce adds a problem that one mistake causes at many tensors.
func (c *onnxCheck) addOnce(p *Problem) {
	for _, before := range c.problems {
		if before.Rule == p.Rule {
			return
		}
	}
	c.add(p)
}

// accelerators refuses those that no build of the backend knows. OpenVINO is built into Triton's
// own containers (docs/triton/onnx.md, "Accelerators").
func (c *onnxCheck) accelerators() {
	known := backends.Named(backends.ONNXRuntime).CPUAccelerators
	list := c.cfg.GetOptimization().GetExecutionAccelerators().GetCpuExecutionAccelerator()
	for i, a := range list {
		if slices.Contains(known, a.GetName()) {
			continue
		}
		c.add(&Problem{
			Rule:   rule.ORT12,
			Path:   at("optimization", "execution_accelerators", "cpu_execution_accelerator", i, "name"),
			Triton: rule.ORT12.Other(3, a.GetName()),
		})
	}
}

func (c *onnxCheck) inputs() {
	for i := range c.model.Inputs {
		if p := kindProblem(&c.model.Inputs[i], "input"); p != nil {
			c.add(p)
			return
		}
	}
	c.countInputs()
	given, unknown := map[string]bool{}, false
	for i, in := range c.cfg.Input {
		if c.enough() {
			return
		}
		given[in.Name] = true
		unknown = !c.input(i, in) && !in.Optional || unknown
	}
	if unknown {
		c.unbatched(c.model.Inputs, given)
	}
}

func (c *onnxCheck) countInputs() {
	want := len(c.cfg.BatchInput) + c.present + len(c.cfg.GetSequenceBatching().GetState())
	for _, in := range c.cfg.Input {
		if !in.Optional {
			want++
		}
	}
	if want != len(c.model.Inputs) {
		c.add(&Problem{
			Rule: rule.ORT1, Path: at("input"), Allowed: names(c.model.Inputs),
			Triton: rule.ORT1.Sentence(c.cfg.Name, want, len(c.model.Inputs)),
		})
	}
}

// input is false for a name that the model file lacks.
func (c *onnxCheck) input(i int, in *modelconfig.ModelInput) (known bool) {
	if in.Optional && c.cfg.MaxBatchSize != 0 {
		c.add(&Problem{
			Rule: rule.ORT9, Path: at("input", i, "optional"),
			Triton: rule.ORT9.Sentence(c.cfg.Name, in.Name),
		})
		return true
	}
	allowed := c.model.Inputs
	if in.Optional || find(c.model.Inputs, in.Name) == nil {
		allowed = slices.Concat(c.model.Inputs, c.model.Overridable)
	}
	t := find(allowed, in.Name)
	if t == nil {
		c.unknown(i, in)
		return false
	}
	dims, field := shapeOf(in.Dims, in.Reshape)
	where := place{"input", i, in.Name, field}
	c.dataType(where, in.DataType, t)
	if in.AllowRaggedBatch {
		c.ragged(i, in, t)
	} else {
		c.dims(where, dims, t)
	}
	return true
}

func (c *onnxCheck) unknown(i int, in *modelconfig.ModelInput) {
	allowed := names(c.model.Inputs)
	if in.Optional {
		allowed = names(c.model.Overridable)
	}
	c.add(&Problem{
		Rule: rule.ORT2, Path: at("input", i, "name"), Allowed: allowed,
		Triton: rule.ORT2.Sentence(in.Name, strings.Join(allowed, ", ")),
	})
}

// unbatched: a tensor has a name that the file lacks, and each of the file's that can be meant has a first dimension of one
// size. The order is Triton's: it comes to the sizes once the names are right.
func (c *onnxCheck) unbatched(tensors []modelfile.Tensor, given map[string]bool) {
	var meant *modelfile.Tensor
	for i := range tensors {
		t := &tensors[i]
		if given[t.Name] {
			continue
		}
		if !t.Shaped || len(t.Dims) == 0 || t.Dims[0].Size == -1 {
			return
		}
		if meant == nil {
			meant = t
		}
	}
	if meant != nil && c.cfg.MaxBatchSize > 0 {
		c.noBatch(meant.Name, meant)
	}
}

func (c *onnxCheck) noBatch(name string, t *modelfile.Tensor) {
	c.addOnce(&Problem{
		Rule: rule.ORT6, Path: at("max_batch_size"), Tensor: t,
		Triton: rule.ORT6.Sentence(c.cfg.Name, name, shape(t.Sizes())),
	})
}

// ragged wants a flat graph input (the doubled blank in the second sentence is Triton's).
func (c *onnxCheck) ragged(i int, in *modelconfig.ModelInput, t *modelfile.Tensor) {
	path := at("input", i, "allow_ragged_batch")
	if in.Optional {
		c.add(&Problem{
			Rule: rule.ORT10, Path: path,
			Triton: rule.ORT10.Other(1, c.cfg.Name, in.Name),
		})
		return
	}
	if t.Shaped && !slices.Equal(t.Sizes(), []int64{-1}) {
		c.add(&Problem{
			Rule: rule.ORT10, Path: path, Tensor: t,
			Triton: rule.ORT10.Sentence(c.cfg.Name, in.Name, shape(t.Sizes())),
		})
	}
}

func (c *onnxCheck) outputs() {
	for i := range c.model.Outputs {
		if p := kindProblem(&c.model.Outputs[i], "output"); p != nil {
			c.add(p)
			return
		}
	}
	given, unknown := map[string]bool{}, false
	for i, out := range c.cfg.Output {
		if c.enough() {
			return
		}
		given[out.Name] = true
		unknown = !c.output(i, out) || unknown
	}
	if unknown {
		c.unbatched(c.model.Outputs, given)
	}
}

// output is false for a name that the model file lacks.
func (c *onnxCheck) output(i int, out *modelconfig.ModelOutput) (known bool) {
	t := find(c.model.Outputs, out.Name)
	if t == nil {
		allowed := names(c.model.Outputs)
		c.add(&Problem{
			Rule: rule.ORT3, Path: at("output", i, "name"), Allowed: allowed,
			Triton: rule.ORT3.Sentence(out.Name, strings.Join(allowed, ", ")),
		})
		return false
	}
	dims, field := shapeOf(out.Dims, out.Reshape)
	where := place{"output", i, out.Name, field}
	c.dataType(where, out.DataType, t)
	if !c.scattered(out.Name) {
		c.dims(where, dims, t)
	}
	return true
}

// scattered reports whether a batch output takes the tensor apart, so that its dims are not looked at.
func (c *onnxCheck) scattered(name string) bool {
	return slices.ContainsFunc(c.cfg.BatchOutput, func(b *modelconfig.BatchOutput) bool {
		return slices.Contains(b.TargetName, name)
	})
}

// place is a tensor in the config.
type place struct {
	side       string // "input" or "output"
	i          int
	name       string
	shapeField string
}

// dataType comes before dims, as with Triton; a wrong type says nothing about these.
func (c *onnxCheck) dataType(p place, want modelconfig.DataType, t *modelfile.Tensor) {
	path := at(p.side, p.i, "data_type")
	if _, known := modelconfig.DataType_name[int32(want)]; !known || want == modelconfig.DataType_TYPE_INVALID {
		c.add(&Problem{
			Rule: rule.ORT4, Code: rule.Internal, Path: path, Tensor: t,
			Triton: rule.ORT4.Other(1),
		})
		return
	}
	if want != t.Type {
		c.add(&Problem{
			Rule: rule.ORT4, Path: path, Tensor: t,
			Triton: rule.ORT4.Sentence(c.cfg.Name, want, p.side, p.name, t.Type),
		})
	}
}

// kindProblem refuses sequences, maps and the like.
func kindProblem(t *modelfile.Tensor, side string) *Problem {
	if t.Kind == modelfile.TensorKind {
		return nil
	}
	return &Problem{
		Rule: rule.ORT8, Code: rule.Unsupported, Path: at(side), Tensor: t,
		Triton: rule.ORT8.Sentence(t.Kind, t.Name, modelfile.TensorKind),
	}
}

// names are sorted, as Triton lists them.
func names(tensors []modelfile.Tensor) []string {
	list := make([]string, len(tensors))
	for i := range tensors {
		list[i] = tensors[i].Name
	}
	slices.Sort(list)
	return list
}

// named returns the tensor of a place, or the problem that the model has none of this name, by the rule of its format.
func named(unknown *rule.Rule, p place, tensors []modelfile.Tensor) (*modelfile.Tensor, *Problem) {
	if t := find(tensors, p.name); t != nil {
		return t, nil
	}
	allowed := names(tensors)
	return nil, &Problem{
		Rule: unknown, Path: at(p.side, p.i, "name"), Allowed: allowed,
		Triton: unknown.Sentence(p.side, p.name, p.side, strings.Join(allowed, ", ")),
	}
}

func find(tensors []modelfile.Tensor, name string) *modelfile.Tensor {
	for i := range tensors {
		if tensors[i].Name == name {
			return &tensors[i]
		}
	}
	return nil
}
