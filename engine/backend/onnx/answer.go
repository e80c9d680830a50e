package onnx

import (
	"encoding/binary"
	"sync/atomic"

	"conch/engine/backend/onnx/ort"
	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// An answer with up to few outputs, of up to fewDims dimensions each, is one block of memory.
const (
	few     = 4
	fewDims = 4
)

// result is the result of one run, which the answers to all its requests share. It has few fields: with eight bytes more,
// it would need the next larger size of memory blocks.
type result struct {
	model   *model
	many    *[]ort.Handle   // the handles, where room is too small; nil otherwise
	account *budget.Account // of outputs of strings; nil without them
	room    [few]ort.Handle
	outputs int32
	pending atomic.Int32 // answers that were not released yet
}

// newHandles allocates the outputs' handles.
func (r *result) newHandles(outputs int) {
	r.outputs = int32(outputs)
	if outputs > few {
		many := make([]ort.Handle, outputs)
		r.many = &many
	}
}

func (r *result) handles() []ort.Handle {
	if r.many != nil {
		return *r.many
	}
	return r.room[:r.outputs]
}

// answer is the response to one request, with its memory.
type answer struct {
	response infer.Response
	result   *result
	released atomic.Bool
	tensors  [few]tensor.Tensor
	dims     [few * fewDims]int64
}

// release frees the run's memory when the last answer is released.
func (a *answer) release() {
	if a.released.CompareAndSwap(false, true) && a.result.pending.Add(-1) == 0 {
		a.result.free()
		a.result.model.rest.ran()
	}
}

// free frees the run's memory.
func (r *result) free() {
	r.model.backend.library.Load().Release(r.handles())
	if r.account != nil {
		r.account.Close()
	}
}

// alone is the result of a batch of one together with its answer, in one block of memory.
type alone struct {
	result
	answer [1]answer
}

// memory allocates a result and its answers.
func memory(requests int) (*result, []answer) {
	if requests == 1 {
		a := &alone{}
		return &a.result, a.answer[:]
	}
	return &result{}, make([]answer, requests)
}

// answer makes the responses. They are views of one result. After an error, nothing has to be released.
func (in *instance) answer(requests []*infer.Request) ([]answer, error) {
	shared, answers := memory(len(requests))
	shared.model = in.model
	if in.replayed == nil {
		shared.newHandles(len(in.wanted))
	}
	shared.pending.Store(int32(len(requests)))
	for i, r := range requests {
		answers[i].prepare(shared, r, in.model)
	}
	err := in.share(requests, answers)
	in.freeOnGPU()
	shared.account = in.runner.Take(shared.handles())
	in.lend(answers, err == nil)
	if err != nil {
		shared.free()
		return nil, err
	}
	return answers, nil
}

func (a *answer) prepare(shared *result, r *infer.Request, m *model) {
	a.result = shared
	a.response = infer.Response{
		ID: r.ID, Model: m.spec.Name, Version: m.spec.Version, Final: true,
		Outputs: a.tensors[:0], Release: a.release,
	}
}

// share returns each answer its part of each output.
func (in *instance) share(requests []*infer.Request, answers []answer) error {
	for k, out := range in.wanted {
		whole := in.output(k)
		if len(whole.Shape) == 0 {
			whole.Shape = append(whole.Shape, out.scalarShape...)
		}
		in.shape = whole.Shape
		landed, err := in.land(&whole, requests, answers)
		if err == nil && !landed {
			if err = in.bring(&whole); err == nil {
				err = in.split(whole.Tensor, requests, answers)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (in *instance) split(whole tensor.Tensor, requests []*infer.Request, answers []answer) error {
	if in.model.layout.Scatters(whole.Name) {
		return in.scatter(whole, requests, answers)
	}
	if !in.model.batching() {
		answers[0].add(whole, whole.Shape)
		return nil
	}
	cut, err := newCutter(whole, requests)
	if err != nil {
		return err
	}
	for i, r := range requests {
		part := cut.next(max(r.Batch, 1))
		if r.Wants(whole.Name) {
			answers[i].add(part, part.Shape)
		}
	}
	return nil
}

// scatter splits an output by the shapes of an input.
func (in *instance) scatter(whole tensor.Tensor, requests []*infer.Request, answers []answer) error {
	parts, err := in.model.layout.Split(whole, requests)
	if err != nil {
		return err
	}
	for i, r := range requests {
		if r.Wants(whole.Name) {
			answers[i].add(parts[i], parts[i].Shape)
		}
	}
	return nil
}

// add adds a tensor to the answer, with a copy of its shape.
func (a *answer) add(t tensor.Tensor, shape tensor.Shape) {
	n := len(a.response.Outputs)
	if n < few && len(shape) <= fewDims {
		t.Shape = a.dims[n*fewDims : n*fewDims : (n+1)*fewDims]
	} else {
		t.Shape = make(tensor.Shape, 0, len(shape))
	}
	t.Shape = append(t.Shape, shape...)
	a.response.Outputs = append(a.response.Outputs, t)
}

// cutter splits a batched output into one part for each request.
type cutter struct {
	rest tensor.Tensor
	rows int64 // bytes of one batch item; 0 for strings
	item int64 // elements of one batch item
}

// newCutter refuses an output with fewer batch items than the requests have, in the words of
// Triton's backend library (backend_output_responder.cc).
func newCutter(whole tensor.Tensor, requests []*infer.Request) (cutter, error) {
	total, got := int64(0), int64(0)
	for _, r := range requests {
		total += max(r.Batch, 1)
	}
	if len(whole.Shape) > 0 {
		got = whole.Shape[0]
	}
	if got < total {
		return cutter{}, infer.Errorf(infer.Unsupported, "failed to split the output tensor '%s' in responses: "+
			"expected batch size of at least %d in model output, got %d", whole.Name, total, got)
	}
	item, _ := whole.Shape[1:].Elements()
	return cutter{rest: whole, item: item, rows: item * int64(whole.Type.Size())}, nil
}

// next returns the next part, with so many batch items.
func (c *cutter) next(items int64) tensor.Tensor {
	part := c.rest
	part.Shape[0] = items
	size := items * c.rows
	if c.rest.Type == tensor.Bytes {
		size = stringsSize(c.rest.Data, items*c.item)
	}
	part.Data, c.rest.Data = c.rest.Data[:size:size], c.rest.Data[size:]
	return part
}

// stringsSize returns how many bytes so many elements take.
func stringsSize(data []byte, elements int64) int64 {
	at := int64(0)
	for range elements {
		at += 4 + int64(binary.LittleEndian.Uint32(data[at:]))
	}
	return at
}
