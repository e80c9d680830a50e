package complete

import (
	"slices"
	"strings"

	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
)

// ownTensors are the inputs and outputs of this model, as its config lists them and as its model file tells of them.
type ownTensors struct{ *place }

// inFile are the inputs or outputs that the model file tells of. An archive of TorchScript tells the names of inputs
// alone.
func (p ownTensors) inFile(side string) []modelfile.Tensor {
	switch facts := p.m.Facts; {
	case facts.ONNX != nil && side == "output":
		return facts.ONNX.Outputs
	case facts.ONNX != nil:
		return slices.Concat(facts.ONNX.Inputs, facts.ONNX.Overridable)
	case facts.OpenVINO != nil && side == "output":
		return facts.OpenVINO.Outputs
	case facts.OpenVINO != nil:
		return facts.OpenVINO.Inputs
	case facts.SavedModel != nil:
		return p.signature(side)
	case facts.Torch != nil && facts.Torch.Known && side == "input":
		var list []modelfile.Tensor
		for _, name := range facts.Torch.Names() {
			list = append(list, modelfile.Tensor{Name: name})
		}
		return list
	}
	return nil
}

// signature is a side of the one that the config speaks of.
func (p ownTensors) signature(side string) []modelfile.Tensor {
	s, err := derive.SavedSignature(p.m.Effective, p.m.Facts.SavedModel)
	switch {
	case err != nil || s == nil:
		return nil
	case side == "output":
		return s.Outputs
	}
	return s.Inputs
}

// unlisted are the inputs or outputs of the model file that the config does not list yet.
func (p ownTensors) unlisted(side string) []Item {
	list := p.inFile(side)
	known := p.listed(side)
	var items []Item
	for i := range list {
		if t := &list[i]; !known[t.Name] {
			items = append(items, quoted(KindTensor, fileText(t), t.Name)...)
		}
	}
	return items
}

// listed are the names that the config gives its inputs or outputs, but for the one at the place.
func (p ownTensors) listed(side string) map[string]bool {
	names := map[string]bool{}
	for _, f := range p.m.Decoded.Doc.Root.Fields {
		if f.Name.Text != side {
			continue
		}
		for _, m := range messagesIn(f.Value) {
			if m != p.at.Message() {
				names[p.valueOf(m, "name")] = true
			}
		}
	}
	return names
}

// fileText returns what the model file says about a tensor.
func fileText(t *modelfile.Tensor) string {
	if t.Type == modelconfig.DataType_TYPE_INVALID {
		return "an argument of forward"
	}
	words := typeName(t.Type)
	if t.Shaped {
		words += " " + shapeText(t.Sizes())
	}
	return words + " in the model file"
}

// fileTensor returns what the model file says about the input or output around the place, or nil.
func (p ownTensors) fileTensor() *modelfile.Tensor {
	names := p.at.Names()
	if len(names) != 1 || names[0] != "input" && names[0] != "output" {
		return nil
	}
	list := p.inFile(names[0])
	name := p.valueOf(p.at.Message(), "name")
	i := slices.IndexFunc(list, func(t modelfile.Tensor) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// own are the inputs or outputs of this model.
func (p ownTensors) own(side string) []Item {
	var items []Item
	for _, t := range tensors(p.m.Effective, side) {
		if t.name != "" {
			items = append(items, quoted(KindTensor, typeAndShape(p.m.Effective, t), t.name)...)
		}
	}
	return items
}

// dims are those of the model file.
func (p ownTensors) dims() []Item {
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
