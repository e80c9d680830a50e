package complete

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/check"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

// tensor is an input or output of a config.
type tensor struct {
	name, side string
	typ        modelconfig.DataType
	dims       []int64
}

func tensors(cfg *modelconfig.ModelConfig, side string) []tensor {
	var list []tensor
	if side == "input" {
		for _, in := range cfg.GetInput() {
			list = append(list, tensor{in.Name, side, in.DataType, in.Dims})
		}
		return list
	}
	for _, out := range cfg.GetOutput() {
		list = append(list, tensor{out.Name, side, out.DataType, out.Dims})
	}
	return list
}

// typeAndShape is what stands beside a tensor wherever it is named: FP32 [-1, 64].
func typeAndShape(cfg *modelconfig.ModelConfig, t tensor) string {
	return typeName(t.typ) + " " + shapeText(effective(cfg, t.dims))
}

// typeName is a data type as requests have it; strings are BYTES there.
func typeName(t modelconfig.DataType) string {
	if t == modelconfig.DataType_TYPE_STRING {
		return "BYTES"
	}
	return strings.TrimPrefix(t.String(), "TYPE_")
}

// effective is a shape with the batch dimension.
func effective(cfg *modelconfig.ModelConfig, dims []int64) []int64 {
	if cfg.GetMaxBatchSize() > 0 {
		return append([]int64{-1}, dims...)
	}
	return dims
}

func shapeText(dims []int64) string { return strings.ReplaceAll(fmt.Sprint(dims), " ", ", ") }

// runs says what runs a model.
func runs(m *check.Model) string {
	if m.Effective.GetPlatform() == backends.Ensemble {
		return backends.Ensemble
	}
	return m.Effective.GetBackend()
}

// signature lists a model's inputs and outputs, a line each.
func signature(m *check.Model) string {
	var lines []string
	for _, side := range []string{"input", "output"} {
		for _, t := range tensors(m.Effective, side) {
			lines = append(lines, fmt.Sprintf("%s %q: %s", side, t.name, typeAndShape(m.Effective, t)))
		}
	}
	return strings.Join(lines, "\n")
}

// own are the inputs or outputs of this model.
func (p *place) own(side string) []Item {
	var items []Item
	for _, t := range tensors(p.m.Effective, side) {
		if t.name != "" {
			items = append(items, quoted(KindTensor, typeAndShape(p.m.Effective, t), t.name)...)
		}
	}
	return items
}

// ports are the inputs or outputs of the step's model, those that are not mapped yet first.
func (p *place) ports(side string) []Item {
	m := p.stepModel(1)
	if m == nil {
		return nil
	}
	mapped := p.keys(p.around(1), side+"_map")
	var free, rest []Item
	for _, t := range tensors(m.Effective, side) {
		item := quoted(KindTensor, typeAndShape(m.Effective, t), t.name)[0]
		if mapped[t.name] {
			rest = append(rest, item)
			continue
		}
		free = append(free, item)
	}
	return append(free, rest...)
}

// keys are the keys of a step's map, but for the one at the place.
func (p *place) keys(step *text.Message, field string) map[string]bool {
	keys := map[string]bool{}
	if step == nil {
		return keys
	}
	for _, f := range step.Fields {
		if entry, ok := f.Value.(*text.Message); ok && f.Name.Text == field && entry != p.at.Message() {
			keys[p.valueOf(entry, "key")] = true
		}
	}
	return keys
}

// sources are the tensors that a step may read: the ensemble's inputs and what the other steps write.
func (p *place) sources() []Item {
	return slices.DeleteFunc(p.all(), func(i Item) bool { return i.Label == "" || p.writes(i.Label) })
}

// writes tells whether the step around the place writes a tensor.
func (p *place) writes(tensor string) bool {
	step := p.around(1)
	if step == nil {
		return false
	}
	return slices.ContainsFunc(step.Fields, func(f *text.Field) bool {
		entry, ok := f.Value.(*text.Message)
		return ok && f.Name.Text == "output_map" && p.valueOf(entry, "value") == tensor
	})
}

// all are the tensors of the ensemble that come from somewhere.
func (p *place) all() []Item {
	items := p.own("input")
	for _, step := range p.m.Effective.GetEnsembleScheduling().GetStep() {
		for _, key := range slices.Sorted(maps.Keys(step.OutputMap)) {
			items = append(items, quoted(KindTensor, p.written(step, key), step.OutputMap[key])...)
		}
	}
	return items
}

// written says what a step puts into a tensor.
func (p *place) written(step *modelconfig.ModelEnsembling_Step, key string) string {
	detail := "from " + step.ModelName
	if p.env == nil {
		return detail
	}
	if m, ok := p.env.Model(step.ModelName); ok {
		for _, t := range tensors(m.Effective, "output") {
			if t.name == key {
				return typeAndShape(m.Effective, t) + " " + detail
			}
		}
	}
	return detail
}

// targets are the tensors that a step may write: the ensemble's outputs and what the steps read, as long as
// nobody writes them.
func (p *place) targets() []Item {
	written, seen := map[string]bool{}, map[string]bool{}
	scheduling := p.m.Effective.GetEnsembleScheduling()
	for _, step := range scheduling.GetStep() {
		for _, name := range step.OutputMap {
			written[name] = true
		}
	}
	for _, t := range tensors(p.m.Effective, "input") {
		written[t.name] = true
	}
	items := slices.DeleteFunc(p.own("output"), func(i Item) bool { seen[i.Label] = true; return written[i.Label] })
	for _, step := range scheduling.GetStep() {
		for _, key := range slices.Sorted(maps.Keys(step.InputMap)) {
			if name := step.InputMap[key]; name != "" && !written[name] && !seen[name] {
				seen[name] = true
				items = append(items, quoted(KindTensor, "read by "+step.ModelName, name)...)
			}
		}
	}
	return items
}

// dims are those of the model file.
func (p *place) dims() []Item {
	t := p.fileTensor()
	if t == nil || !t.Shaped || p.at.Scalar != nil || p.at.Field.Value != nil && !p.below(p.at.Field) {
		return nil
	}
	sizes := t.Sizes()
	if p.m.Effective.GetMaxBatchSize() > 0 && len(sizes) > 0 && sizes[0] == -1 {
		sizes = sizes[1:]
	}
	if len(sizes) == 0 {
		sizes = []int64{1}
	}
	list := "[ " + strings.Trim(shapeText(sizes), "[]") + " ]"
	return []Item{{Label: list, Kind: KindValue, Detail: "as in the model file", Insert: list}}
}
