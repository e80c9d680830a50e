package modelfile

import (
	"slices"
)

// SavedModel is a TensorFlow saved model without its graphs and weights.
type SavedModel struct{ Graphs []SavedGraph }

// SavedGraph is one of the graphs in a saved model: its tags, and its signatures by name.
type SavedGraph struct {
	Tags       []string
	Signatures []SavedSignature
}

// SavedSignature is a way to call a graph. Tensors are sorted by name; one without dims is a scalar, or of a rank
// that the file leaves open: then it is not Shaped.
type SavedSignature struct {
	Name, Method    string
	Inputs, Outputs []Tensor
	// Unserved are the tensors of a type that Triton cannot serve.
	Unserved []SavedElement
}

// SavedElement is a tensor and the name of its type: DT_BFLOAT16.
type SavedElement struct{ Side, Name, Type string }

// Graph finds the graph that has this tag and no other, as TensorFlow's loader does; nil where there is none.
func (m *SavedModel) Graph(tag string) *SavedGraph {
	for i := range m.Graphs {
		if tags := slices.Compact(slices.Sorted(slices.Values(m.Graphs[i].Tags))); slices.Equal(tags, []string{tag}) {
			return &m.Graphs[i]
		}
	}
	return nil
}

// Tags are those that a graph can be chosen by, sorted.
func (m *SavedModel) Tags() []string {
	var tags []string
	for _, g := range m.Graphs {
		if len(g.Tags) == 1 {
			tags = append(tags, g.Tags[0])
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// Signature returns the signature with a name, or nil.
func (g *SavedGraph) Signature(name string) *SavedSignature {
	i := slices.IndexFunc(g.Signatures, func(s SavedSignature) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &g.Signatures[i]
}

// Callable are the names of the signatures, less those that only set a graph up.
func (g *SavedGraph) Callable() []string {
	var list []string
	for _, s := range g.Signatures {
		if s.Name != "__saved_model_init_op" && s.Name != "__saved_model_train_op" {
			list = append(list, s.Name)
		}
	}
	return list
}
