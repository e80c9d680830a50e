package language

import (
	"fmt"
	"slices"
	"strings"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/names"
)

// FoundTensor is a tensor that was searched for.
type FoundTensor struct {
	In *Model
	// Subject says what it is: an input, an output, or a tensor of an ensemble.
	Subject names.Subject
	// Detail is its type and shape; "" when the config does not say.
	Detail string
	// Span is where the config names it first; empty when only the model file declares it.
	Span diag.Span
}

// FindTensors searches the tensors of all models. Each word has to be in the name of the tensor or of
// its model, and one of them in the tensor's. It returns the best ones: whole names first, then those
// that begin with what was asked for.
func (a *Analysis) FindTensors(text string, most int) []FoundTensor {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return nil
	}
	var found []FoundTensor
	for _, name := range a.names {
		for _, t := range a.tensors(a.models[name]) {
			if fits(words, t) {
				found = append(found, t)
			}
		}
	}
	slices.SortStableFunc(found, func(x, y FoundTensor) int { return distance(words, x) - distance(words, y) })
	return found[:min(len(found), most)]
}

// tensors lists the tensors of a model: those that its config names, then those of its file alone.
func (a *Analysis) tensors(m *Model) []FoundTensor {
	details := map[names.Subject]string{}
	var declared []names.Subject
	add := func(side names.Side, list []Tensor) {
		if m.Effective().GetEnsembleScheduling() != nil {
			side = names.Wire
		}
		for _, t := range list {
			s := names.Subject{Model: m.Scan.Name, Tensor: t.Name, Side: side}
			declared = append(declared, s)
			if t.Datatype != Datatype(modelconfig.DataType_TYPE_INVALID) {
				details[s] = t.Datatype + " " + strings.ReplaceAll(fmt.Sprint(t.Shape), " ", ", ")
			}
		}
	}
	add(names.Input, Inputs(m.Effective()))
	add(names.Output, Outputs(m.Effective()))
	var list []FoundTensor
	seen := map[names.Subject]bool{}
	for _, n := range names.Tensors(m.subject(), env{a}) {
		seen[n.Subject] = true
		list = append(list, FoundTensor{In: m, Subject: n.Subject, Detail: details[n.Subject], Span: n.Span})
	}
	for _, s := range declared {
		if !seen[s] {
			seen[s] = true
			list = append(list, FoundTensor{In: m, Subject: s, Detail: details[s]})
		}
	}
	return list
}

func fits(words []string, t FoundTensor) bool {
	tensor, model := strings.ToLower(t.Subject.Tensor), strings.ToLower(t.Subject.Model)
	own := false
	for _, word := range words {
		inTensor := strings.Contains(tensor, word)
		if !inTensor && !strings.Contains(model, word) {
			return false
		}
		own = own || inTensor
	}
	return own
}

// distance is lower for better answers.
func distance(words []string, t FoundTensor) int {
	tensor := strings.ToLower(t.Subject.Tensor)
	best := 2
	for _, word := range words {
		switch {
		case tensor == word:
			return 0
		case strings.HasPrefix(tensor, word):
			best = 1
		}
	}
	return best
}
