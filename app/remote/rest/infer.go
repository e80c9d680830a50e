package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"conch/app/tensorjson"
	"conch/engine/kserve/kservepb"
)

// headerLength says how many bytes of a body are JSON; the tensors follow.
const headerLength = "Inference-Header-Content-Length"

// binarySize is the parameter of a tensor that says how many bytes of the body are its own.
const binarySize = "binary_data_size"

type tensorJSON struct {
	Name       string          `json:"name"`
	Datatype   string          `json:"datatype,omitempty"`
	Shape      []int64         `json:"shape,omitzero"`
	Parameters map[string]any  `json:"parameters,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
}

type requestJSON struct {
	ID         string         `json:"id,omitempty"`
	Parameters map[string]any `json:"parameters"`
	Inputs     []tensorJSON   `json:"inputs"`
	Outputs    []tensorJSON   `json:"outputs,omitempty"`
}

// writeInfer writes a request whose inputs are all raw, as Conch makes them.
func writeInfer(args any) (sent, error) {
	m := args.(*kservepb.ModelInferRequest)
	if len(m.RawInputContents) != len(m.Inputs) {
		return sent{}, status.Error(codes.InvalidArgument, "a request over HTTP has the bytes of each input")
	}
	request := requestJSON{ID: m.Id, Parameters: plain(m.Parameters), Inputs: []tensorJSON{}} // a list, also when empty
	request.Parameters["binary_data_output"] = true
	for i, in := range m.Inputs {
		parameters := plain(in.Parameters)
		parameters[binarySize] = len(m.RawInputContents[i])
		request.Inputs = append(request.Inputs, tensorJSON{Name: in.Name, Datatype: in.Datatype, Shape: shapeOf(in.Shape), Parameters: parameters})
	}
	for _, o := range m.Outputs {
		parameters := plain(o.Parameters)
		parameters["binary_data"] = true
		request.Outputs = append(request.Outputs, tensorJSON{Name: o.Name, Parameters: parameters})
	}
	head, err := json.Marshal(request)
	if err != nil {
		return sent{}, status.Error(codes.InvalidArgument, err.Error())
	}
	out := modelPath(m.ModelName, m.ModelVersion, "/infer")
	out.body, out.header = append([][]byte{head}, m.RawInputContents...), len(head)
	return out, nil
}

// shapeOf keeps the empty shape of a scalar: a tensor without a shape is refused.
func shapeOf(shape []int64) []int64 {
	if shape == nil {
		return []int64{}
	}
	return shape
}

// plain returns the values of parameters, which lie in a choice of types. Bytes become base64 in JSON, which is what Triton reads.
func plain[P proto.Message](parameters map[string]P) map[string]any {
	out := map[string]any{}
	for name, p := range parameters {
		m := p.ProtoReflect()
		if value := m.WhichOneof(m.Descriptor().Oneofs().ByName("parameter_choice")); value != nil {
			out[name] = m.Get(value).Interface()
		}
	}
	return out
}

// readInfer reads an answer. Outputs that came as JSON, from a server without binary tensors, become bytes.
func readInfer(g got, reply any) error {
	head, rest, err := split(g)
	if err != nil {
		return err
	}
	var answer struct {
		ModelName    string       `json:"model_name"`
		ModelVersion string       `json:"model_version"`
		ID           string       `json:"id"`
		Outputs      []tensorJSON `json:"outputs"`
	}
	if err := json.Unmarshal(head, &answer); err != nil {
		return fmt.Errorf("its JSON cannot be read: %w", err)
	}
	out := reply.(*kservepb.ModelInferResponse)
	out.ModelName, out.ModelVersion, out.Id = answer.ModelName, answer.ModelVersion, answer.ID
	for _, o := range answer.Outputs {
		var raw []byte
		if raw, rest, err = bytesOf(o, rest); err != nil {
			return fmt.Errorf("output %q: %w", o.Name, err)
		}
		out.Outputs = append(out.Outputs, &kservepb.ModelInferResponse_InferOutputTensor{Name: o.Name, Datatype: o.Datatype, Shape: o.Shape})
		out.RawOutputContents = append(out.RawOutputContents, raw)
	}
	return nil
}

// split parts the JSON from the tensors.
func split(g got) (head, rest []byte, err error) {
	text := g.header.Get(headerLength)
	if text == "" {
		return g.body, nil, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > len(g.body) {
		return nil, nil, fmt.Errorf("its header %s is %.40q, and the answer has %d bytes", headerLength, text, len(g.body))
	}
	return g.body[:n], g.body[n:], nil
}

// bytesOf takes the bytes of an output from the front of rest, or makes them from its JSON.
func bytesOf(o tensorJSON, rest []byte) (raw, left []byte, err error) {
	size, binary := o.Parameters[binarySize].(float64)
	switch {
	case binary && (size < 0 || size > float64(len(rest)) || size != float64(int(size))):
		return nil, nil, fmt.Errorf("its size is %g bytes, and %d are left", size, len(rest))
	case binary:
		return rest[:int(size)], rest[int(size):], nil
	case len(o.Data) == 0:
		return nil, nil, errors.New("it has no data")
	}
	raw, err = tensorjson.Encode(tensorjson.Tensor{Datatype: o.Datatype, Shape: o.Shape, JSON: string(o.Data)})
	return raw, rest, err
}
