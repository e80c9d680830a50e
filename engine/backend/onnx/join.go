package onnx

import (
	"conch/engine/cuda"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// keepJoined is how many bytes of joined input an instance keeps for later batches; it frees more than that.
const keepJoined = 16 << 20

// joined is an input of several requests as one tensor.
type joined struct {
	tensor tensor.Tensor
	shape  tensor.Shape
	pinned *cuda.Pinned // the tensor's memory; nil where it is Go's
}

// joinInputs concatenates the requests' inputs along their first dimension.
func (in *instance) joinInputs(requests []*infer.Request) error {
	lead := requests[0]
	for len(in.joined) < len(lead.Inputs) {
		in.joined = append(in.joined, joined{})
	}
	for i := range lead.Inputs {
		j := &in.joined[i]
		if err := in.join(j, requests, &lead.Inputs[i]); err != nil {
			return err
		}
		if err := in.give(&j.tensor, nil); err != nil {
			return err
		}
	}
	return in.setBatchInputs(requests)
}

// join concatenates one input. A ragged input becomes flat.
func (in *instance) join(j *joined, requests []*infer.Request, lead *tensor.Tensor) (err error) {
	if !in.model.layout.Ragged(lead.Name) {
		return in.gather(j, requests, lead)
	}
	j.tensor, err = in.model.layout.Gather(requests, lead.Name, j.tensor)
	return err
}

// setBatchInputs adds the inputs that describe the batch to the model.
func (in *instance) setBatchInputs(requests []*infer.Request) (err error) {
	if in.made, err = in.model.layout.BatchInputs(requests, in.made); err != nil {
		return err
	}
	for i := range in.made {
		if err := in.give(&in.made[i], nil); err != nil {
			return err
		}
	}
	return nil
}

// gather copies the tensor with lead's name of each request, one behind the other.
func (in *instance) gather(j *joined, requests []*infer.Request, lead *tensor.Tensor) error {
	if len(lead.Shape) == 0 {
		return infer.Errorf(infer.Internal, "input '%s' has no batch dimension to join", lead.Name)
	}
	j.shape = append(j.shape[:0], lead.Shape...)
	j.shape[0] = 0
	size := 0
	for _, r := range requests {
		t := r.Input(lead.Name)
		if t == nil || len(t.Shape) != len(lead.Shape) || !t.Shape[1:].Matches(lead.Shape[1:]) {
			return infer.Errorf(infer.Internal, "input '%s' differs in shape among the requests of a batch", lead.Name)
		}
		j.shape[0] += t.Shape[0]
		size += len(t.Data)
	}
	data := in.room(j, size)
	for _, r := range requests {
		data = append(data, r.Input(lead.Name).Data...)
	}
	j.tensor = tensor.Tensor{Name: lead.Name, Type: lead.Type, Shape: j.shape, Data: data}
	return nil
}

// room returns memory: that of the previous batch if it is large enough and not too large to be kept, otherwise new memory.
func (in *instance) room(j *joined, size int) []byte {
	if have := cap(j.tensor.Data); have >= size && (have <= keepJoined || have <= 2*size) {
		return j.tensor.Data[:0]
	}
	in.unpin(j)
	if j.pinned = in.pin(size); j.pinned != nil {
		return j.pinned.Bytes()[:0]
	}
	return make([]byte, 0, size)
}
