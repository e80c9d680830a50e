package complete

import (
	"maps"
	"slices"
	"strconv"

	"conch/configedit/check"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

// wires are the models of an ensemble's steps, and the tensors that go between them.
type wires struct{ ownTensors }

func newWires(p *place) wires { return wires{ownTensors{p}} }

// models are the repository's other models.
func (p wires) models() []Item {
	if p.env == nil {
		return nil
	}
	var items []Item
	for _, name := range p.env.Names() {
		m, ok := p.env.Model(name)
		if !ok || name == p.m.Name {
			continue
		}
		item := quoted(KindModel, runs(m), name)[0]
		item.Documentation = signature(m)
		items = append(items, item)
	}
	return items
}

// versions are those that the step's model serves.
func (p wires) versions() []Item {
	items := []Item{{Label: "-1", Kind: KindValue, Detail: "the newest", Insert: "-1"}}
	if m := p.stepModel(0); m != nil {
		for _, v := range check.Served(m) {
			number := strconv.FormatInt(v, 10)
			items = append(items, Item{Label: number, Kind: KindValue, Detail: "served now", Insert: number})
		}
	}
	return items
}

// stepModel is the model of the step that is n messages up; nil where it is not known.
func (p wires) stepModel(n int) *check.Model {
	if p.env == nil {
		return nil
	}
	m, ok := p.env.Model(p.valueOf(p.around(n), "model_name"))
	if !ok {
		return nil
	}
	return m
}

// ports are the inputs or outputs of the step's model, those that are not mapped yet first.
func (p wires) ports(side string) []Item {
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

// sources returns the tensors that a step may read: the ensemble's inputs and the tensors that other steps write.
func (p wires) sources() []Item {
	return slices.DeleteFunc(p.all(), func(i Item) bool { return i.Label == "" || p.writes(i.Label) })
}

// writes reports whether the step around the place writes a tensor.
func (p wires) writes(tensor string) bool {
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
func (p wires) all() []Item {
	items := p.own("input")
	for _, step := range p.m.Effective.GetEnsembleScheduling().GetStep() {
		for _, key := range slices.Sorted(maps.Keys(step.OutputMap)) {
			items = append(items, quoted(KindTensor, p.written(step, key), step.OutputMap[key])...)
		}
	}
	return items
}

// written describes the tensor that a step writes.
func (p wires) written(step *modelconfig.ModelEnsembling_Step, key string) string {
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
func (p wires) targets() []Item {
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
