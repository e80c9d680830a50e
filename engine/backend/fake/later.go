package fake

import (
	"encoding/binary"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// Later begins the text of a model file whose model answers after Execute has returned. For the number n in its only INT32
// input, it sends 0, 1, … n-1 on its only output, each as a response, and then only the final flag.
const Later = "later"

// executeLater leaves each request to a goroutine.
func (in *instance) executeLater(batch *backend.Batch) {
	for i, r := range batch.Requests {
		if len(r.Inputs) != 1 || len(r.Inputs[0].Data) < 4 {
			batch.Fail(i, infer.Errorf(infer.InvalidArg, "expected one input with a number"))
			continue
		}
		n := binary.LittleEndian.Uint32(r.Inputs[0].Data)
		p, shape := batch.Later(i), tensor.Shape{1}
		if r.Batch > 0 {
			shape = tensor.Shape{1, 1}
		}
		go in.model.count(p, n, shape)
	}
}

// count sends a request its responses until the request has ended.
func (m *model) count(p backend.Responder, n uint32, shape tensor.Shape) {
	out := m.spec.Config.Output[0].Name
	for k := range n {
		err := p.Send(&infer.Response{Outputs: []tensor.Tensor{
			{Name: out, Type: tensor.Int32, Shape: shape, Data: binary.LittleEndian.AppendUint32(nil, k)},
		}})
		if err != nil {
			return
		}
	}
	_ = p.Send(&infer.Response{Final: true}) // the request ends also after an error
}
