package fake

import (
	"bytes"
	"slices"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// executeWhole runs a batch of a model with a layout in one piece, as a framework does. Output k copies the k-th input; batch
// inputs come after the inputs. Outputs that the layout does not split are split by rows.
func (in *instance) executeWhole(batch *backend.Batch) {
	given, err := in.model.gather(batch.Requests)
	batch.InputDone()
	batch.InferDone()
	responses := make([]infer.Response, len(batch.Requests))
	for k, out := range in.model.spec.Config.Output {
		if err != nil || k >= len(given) {
			break
		}
		whole := given[k]
		whole.Name = out.Name
		var parts []tensor.Tensor
		if parts, err = in.model.split(whole, batch.Requests); err != nil {
			break
		}
		for i, r := range batch.Requests {
			if r.Wants(out.Name) {
				responses[i].Outputs = append(responses[i].Outputs, parts[i])
			}
		}
	}
	if err != nil {
		batch.FailAll(err)
		return
	}
	for i := range responses {
		responses[i].Parameters, responses[i].Final = map[string]any{Content: in.model.content}, true
		batch.Respond(i, &responses[i])
	}
}

// gather makes the model's inputs.
func (m *model) gather(requests []*infer.Request) ([]tensor.Tensor, error) {
	var given []tensor.Tensor
	for _, in := range m.spec.Config.Input {
		var t tensor.Tensor
		var err error
		if m.layout.Ragged(in.Name) {
			t, err = m.layout.Gather(requests, in.Name, tensor.Tensor{})
		} else {
			t, err = rows(requests, in.Name)
		}
		if err != nil {
			return nil, err
		}
		given = append(given, t)
	}
	made, err := m.layout.BatchInputs(requests, nil)
	return append(given, made...), err
}

// rows concatenates an input that is not ragged.
func rows(requests []*infer.Request, name string) (tensor.Tensor, error) {
	whole := tensor.Tensor{Name: name}
	for _, r := range requests {
		t := r.Input(name)
		if t == nil {
			return whole, infer.Errorf(infer.Internal, "a request of the batch has no input '%s'", name)
		}
		if whole.Shape == nil {
			whole.Type, whole.Shape = t.Type, slices.Clone(t.Shape)
			whole.Shape[0] = 0
		}
		whole.Shape[0] += t.Shape[0]
		whole.Data = append(whole.Data, t.Data...)
	}
	return whole, nil
}

// split returns each request's part.
func (m *model) split(whole tensor.Tensor, requests []*infer.Request) ([]tensor.Tensor, error) {
	if m.layout.Scatters(whole.Name) {
		parts, err := m.layout.Split(whole, requests)
		for i := range parts {
			parts[i].Data = bytes.Clone(parts[i].Data) // otherwise one client's answer would keep the memory of all
		}
		return parts, err
	}
	item, _ := whole.Shape[1:].ByteSize(whole.Type)
	parts := make([]tensor.Tensor, len(requests))
	for i, r := range requests {
		n := max(r.Batch, 1)
		size := n * item
		if size > int64(len(whole.Data)) {
			return nil, infer.Errorf(infer.Internal, "the output '%s' with shape %s has too few rows", whole.Name, whole.Shape)
		}
		parts[i] = tensor.Tensor{Name: whole.Name, Type: whole.Type, Shape: append(tensor.Shape{n}, whole.Shape[1:]...), Data: bytes.Clone(whole.Data[:size])}
		whole.Data = whole.Data[size:]
	}
	return parts, nil
}
