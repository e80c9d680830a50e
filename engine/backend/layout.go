package backend

import (
	"slices"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// Layout makes the tensors of a batch where it is not enough to concatenate the requests' tensors: for ragged inputs, batch
// inputs and batch outputs (docs/triton/schedulers.md, "Ragged batches"). A nil Layout has none of them.
//
// For every batch, also of one request, a model with a Layout gets each ragged input from Gather, its other inputs as usual,
// and then the batch inputs. Split splits an output for which Scatters is true.
type Layout struct {
	ragged   map[string]bool
	inputs   []*modelconfig.BatchInput
	scatters map[string]scatter // by output
}

// LayoutOf returns the Layout of a config; nil when it needs none.
func LayoutOf(cfg *modelconfig.ModelConfig) *Layout {
	l := &Layout{ragged: map[string]bool{}, inputs: cfg.BatchInput, scatters: map[string]scatter{}}
	for _, in := range cfg.Input {
		if in.AllowRaggedBatch {
			l.ragged[in.Name] = true
		}
	}
	for _, b := range cfg.BatchOutput {
		for _, out := range cfg.Output {
			if slices.Contains(b.TargetName, out.Name) {
				l.scatters[out.Name] = scatter{source: b.SourceInput[0], shape: scattered(cfg, out)}
			}
		}
	}
	if len(l.ragged) == 0 && len(l.inputs) == 0 && len(l.scatters) == 0 {
		return nil
	}
	return l
}

// Ragged reports whether an input's shapes may differ within a batch. The model gets it flat: [-1].
func (l *Layout) Ragged(input string) bool { return l != nil && l.ragged[input] }

// Gather copies a ragged input of all requests into one flat tensor. It reuses the memory of the previous tensor.
func (l *Layout) Gather(requests []*infer.Request, input string, before tensor.Tensor) (tensor.Tensor, error) {
	whole := tensor.Tensor{Name: input, Shape: append(before.Shape[:0], 0), Data: before.Data[:0]}
	for _, r := range requests {
		t, n, err := part(r, input)
		if err != nil {
			return before, err
		}
		whole.Type = t.Type
		whole.Shape[0] += n
		whole.Data = append(whole.Data, t.Data...)
	}
	return whole, nil
}

// part is one request's tensor and how many elements it has.
func part(r *infer.Request, input string) (*tensor.Tensor, int64, error) {
	t := r.Input(input)
	if t == nil {
		return nil, 0, infer.Errorf(infer.Internal, "a request of the batch has no input '%s'", input)
	}
	n, ok := t.Shape.Elements()
	if !ok {
		return nil, 0, infer.Errorf(infer.Internal, "input '%s' has the impossible shape %s", input, t.Shape)
	}
	return t, n, nil
}
