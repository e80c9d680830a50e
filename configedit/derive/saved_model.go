package derive

import (
	"cmp"

	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
)

// The keys of parameters that choose among graphs and signatures, and their defaults
// (docs/triton/backends.md, "TensorFlow").
const (
	graphTagKey      = "TF_GRAPH_TAG"
	signatureKey     = "TF_SIGNATURE_DEF"
	defaultGraphTag  = "serve"
	defaultSignature = "serving_default"
)

// SavedSignature is the signature of a saved model that a config speaks of; the error is a *Problem. Both are nil
// where several signatures would do and none has the usual name: then TensorFlow takes any.
func SavedSignature(cfg *modelconfig.ModelConfig, model *modelfile.SavedModel) (*modelfile.SavedSignature, error) {
	graph := model.Graph(cmp.Or(cfg.GetParameters()[graphTagKey].GetStringValue(), defaultGraphTag))
	if graph == nil {
		return nil, &Problem{Rule: rule.TF1, Code: rule.Internal, Path: at("parameters", graphTagKey, "string_value"), Allowed: model.Tags()}
	}
	name := cfg.GetParameters()[signatureKey].GetStringValue()
	wanted := cmp.Or(name, defaultSignature)
	if s := graph.Signature(wanted); s != nil {
		return s, nil
	}
	others := graph.Callable()
	switch {
	case name != "" || len(others) == 0:
		return nil, &Problem{
			Rule: rule.TF1, Code: rule.Internal, Path: at("parameters", signatureKey, "string_value"), Allowed: others,
			Triton: rule.TF1.Sentence(cfg.Name, wanted),
		}
	case len(others) > 1:
		return nil, nil
	}
	return graph.Signature(others[0]), nil
}
