package derive

import (
	"slices"

	"conch/configedit/modelconfig"
)

// SavedModel is what a TensorFlow saved model tells without its graphs and weights.
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
	Inputs, Outputs []ONNXTensor
	// Unserved are the tensors of a type that Triton cannot serve.
	Unserved []SavedElement
}

// SavedElement is a tensor and the name of its type: DT_BFLOAT16.
type SavedElement struct{ Side, Name, Type string }

// The keys of parameters that choose among graphs and signatures (triton-config C.13), and what holds without.
const (
	graphTagKey      = "TF_GRAPH_TAG"
	signatureKey     = "TF_SIGNATURE_DEF"
	defaultGraphTag  = "serve"
	defaultSignature = "serving_default"
)

// Signature is the one that a config speaks of; the error is a *Problem. Both are nil where several would do and
// none has the usual name: then TensorFlow takes any.
func (m *SavedModel) Signature(cfg *modelconfig.ModelConfig) (*SavedSignature, error) {
	tag := cfg.GetParameters()[graphTagKey].GetStringValue()
	graph := m.graph(orDefault(tag, defaultGraphTag))
	if graph == nil {
		return nil, &Problem{Rule: RuleSavedSignature, Code: Internal, Path: at("parameters", graphTagKey, "string_value"), Allowed: m.tags()}
	}
	name := cfg.GetParameters()[signatureKey].GetStringValue()
	wanted := orDefault(name, defaultSignature)
	if i := slices.IndexFunc(graph.Signatures, func(s SavedSignature) bool { return s.Name == wanted }); i >= 0 {
		return &graph.Signatures[i], nil
	}
	others := graph.callable()
	switch {
	case name != "" || len(others) == 0:
		return nil, &Problem{
			Rule: RuleSavedSignature, Code: Internal, Path: at("parameters", signatureKey, "string_value"), Allowed: others,
			Triton: "unable to load model '" + cfg.Name + "', expected '" + wanted + "' signature",
		}
	case len(others) > 1:
		return nil, nil
	}
	i := slices.IndexFunc(graph.Signatures, func(s SavedSignature) bool { return s.Name == others[0] })
	return &graph.Signatures[i], nil
}

func orDefault(value, without string) string {
	if value == "" {
		return without
	}
	return value
}

// graph finds the graph that has this tag and no other, as TensorFlow's loader does.
func (m *SavedModel) graph(tag string) *SavedGraph {
	for i := range m.Graphs {
		if tags := slices.Compact(slices.Sorted(slices.Values(m.Graphs[i].Tags))); slices.Equal(tags, []string{tag}) {
			return &m.Graphs[i]
		}
	}
	return nil
}

// tags are those that a config can choose a graph by.
func (m *SavedModel) tags() []string {
	var tags []string
	for _, g := range m.Graphs {
		if len(g.Tags) == 1 {
			tags = append(tags, g.Tags[0])
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// callable are the names of the signatures, less those that only set a graph up.
func (g *SavedGraph) callable() []string {
	var list []string
	for _, s := range g.Signatures {
		if s.Name != "__saved_model_init_op" && s.Name != "__saved_model_train_op" {
			list = append(list, s.Name)
		}
	}
	return list
}
