package openapi

import (
	"fmt"
	"math"

	"conch/configedit/modelconfig"
	"conch/engine/tensor"
)

// typed returns the schemas of one model's requests and answers.
func typed(c *modelconfig.ModelConfig) object {
	inputs, outputs, generated := []object{}, []object{}, object{"id": text}
	var needed []string
	example, plain := []object{}, object{}
	for _, in := range c.GetInput() {
		t := described{c: c, name: in.GetName(), kind: tensor.DataType(in.GetDataType()), dims: in.GetDims()}
		inputs = append(inputs, t.schema())
		generated[t.name] = t.plain()
		if in.GetOptional() {
			continue
		}
		needed = append(needed, t.name)
		example = append(example, t.example())
		plain[t.name] = t.plainExample()
	}
	answered := object{"id": text, "model_name": text, "model_version": text}
	for _, out := range c.GetOutput() {
		t := described{c: c, name: out.GetName(), kind: tensor.DataType(out.GetDataType()), dims: out.GetDims()}
		outputs = append(outputs, t.schema())
		answered[t.name] = t.plain()
	}
	request, response := general()["InferRequest"].(object), general()["InferResponse"].(object)
	request["properties"].(object)["inputs"] = object{"type": "array", "items": object{"oneOf": inputs}, "minItems": len(needed), "maxItems": len(inputs)}
	response["properties"].(object)["outputs"] = list(object{"oneOf": outputs})
	sent, parameters := object{"inputs": example}, object{}
	if modelconfig.NeedsSequence(c) {
		parameters = object{"sequence_id": 1, "sequence_start": true, "sequence_end": true}
		if modelconfig.TakesTextIDs(c) {
			parameters["sequence_id"] = "1"
		}
	}
	if half(c) != "" {
		parameters["binary_data_output"] = true
	}
	if len(parameters) > 0 {
		sent["parameters"] = parameters
	}
	one := object{"type": "object", "properties": generated}
	if len(needed) > 0 {
		one["required"] = needed
	}
	exemplify(request, sent, notByInfer(c), notAsJSON(c))
	exemplify(one, plain, notByGenerate(c), notAsJSON(c))
	return object{
		"InferRequest": request, "InferResponse": response,
		"GenerateRequest": one, "GenerateResponse": fields(answered, "model_name", "model_version"),
	}
}

// exemplify gives a schema its example, or the first reason why the server would refuse it.
func exemplify(schema, example object, reasons ...string) {
	for _, why := range reasons {
		if why != "" {
			schema["description"] = why
			return
		}
	}
	schema["example"] = example
}

func notByInfer(c *modelconfig.ModelConfig) string {
	if c.GetModelTransactionPolicy().GetDecoupled() {
		return "The model is decoupled, so this endpoint refuses it. Send its requests to generate_stream, or by gRPC."
	}
	return ""
}

func notByGenerate(c *modelconfig.ModelConfig) string {
	if modelconfig.NeedsSequence(c) {
		return "A request of this model needs sequence_id, which this endpoint takes for an ordinary parameter. Send it to infer, or by gRPC."
	}
	if name := half(c); name != "" {
		return fmt.Sprintf("The output %q is of a type whose values JSON does not hold. Ask infer for binary data.", name)
	}
	return ""
}

// half returns the first output whose values JSON does not hold.
func half(c *modelconfig.ModelConfig) string {
	for _, out := range c.GetOutput() {
		if isHalf(tensor.DataType(out.GetDataType())) {
			return out.GetName()
		}
	}
	return ""
}

func isHalf(t tensor.DataType) bool { return t == tensor.FP16 || t == tensor.BF16 }

// notAsJSON says which input cannot be written as JSON, or is too large for an example.
func notAsJSON(c *modelconfig.ModelConfig) string {
	for _, in := range c.GetInput() {
		t := described{c: c, name: in.GetName(), kind: tensor.DataType(in.GetDataType()), dims: in.GetDims()}
		_, count := t.exampleShape()
		switch {
		case in.GetOptional():
		case isHalf(t.kind):
			return fmt.Sprintf("The input %q is of the type %s, whose values JSON does not hold. Send it as binary data.", t.name, t.kind)
		case count > mostExample:
			return fmt.Sprintf("An example of the input %q would have more than %d values.", t.name, mostExample)
		}
	}
	return ""
}

// described is a tensor of a model.
type described struct {
	c    *modelconfig.ModelConfig
	name string
	kind tensor.DataType
	dims []int64
}

// schema describes the tensor in a request or an answer.
func (t described) schema() object {
	return fields(object{
		"name": object{"const": t.name}, "datatype": object{"const": t.kind.String()}, "shape": t.shape(),
		"parameters": object{"type": "object"}, "data": t.data(),
	}, "name", "datatype", "shape")
}

// shape describes the extents: fixed ones, open ones, and the batch.
func (t described) shape() object {
	extents := []object{}
	if most := t.c.GetMaxBatchSize(); most > 0 {
		extents = append(extents, object{"type": "integer", "minimum": 1, "maximum": most, "title": "batch"})
	}
	for _, d := range t.dims {
		if d < 0 {
			extents = append(extents, natural)
		} else {
			extents = append(extents, object{"const": d})
		}
	}
	o := object{"type": "array", "minItems": len(extents), "maxItems": len(extents)}
	if len(extents) > 0 {
		o["prefixItems"] = extents
	}
	return o
}

// data describes the values: all in one list, or in lists within lists, one level for each extent.
func (t described) data() object {
	flat := list(t.value())
	levels := len(t.dims)
	if t.c.GetMaxBatchSize() > 0 {
		levels++
	}
	if levels < 2 {
		return flat
	}
	nested := flat
	for range levels - 1 {
		nested = list(nested)
	}
	return object{"anyOf": []object{flat, nested}}
}

// value describes one value. A half-precision tensor is sent in binary form only.
func (t described) value() object {
	bounds := func(low, high any) object { return object{"type": "integer", "minimum": low, "maximum": high} }
	switch t.kind {
	case tensor.Bool:
		return truth
	case tensor.Bytes:
		return text
	case tensor.Uint8:
		return bounds(0, math.MaxUint8)
	case tensor.Uint16:
		return bounds(0, math.MaxUint16)
	case tensor.Uint32:
		return bounds(0, math.MaxUint32)
	case tensor.Uint64:
		return bounds(0, uint64(math.MaxUint64))
	case tensor.Int8:
		return bounds(math.MinInt8, math.MaxInt8)
	case tensor.Int16:
		return bounds(math.MinInt16, math.MaxInt16)
	case tensor.Int32:
		return bounds(math.MinInt32, math.MaxInt32)
	case tensor.Int64:
		return bounds(math.MinInt64, math.MaxInt64)
	}
	return object{"type": "number"}
}

// plain describes the tensor in generate: a list of values, or a single one.
func (t described) plain() object { return object{"oneOf": []object{t.value(), list(t.value())}} }

// mostExample is how many values of one input an example has at most. A picture of 64 by 64 fits.
const mostExample = 4096

// exampleShape returns a small shape, and its number of values.
func (t described) exampleShape() (shape []int64, count int64) {
	count = 1
	if t.c.GetMaxBatchSize() > 0 {
		shape = append(shape, 1)
	}
	for _, d := range t.dims {
		d = max(d, 1)
		shape = append(shape, d)
		if count = count * min(d, mostExample+1); count > mostExample {
			count = mostExample + 1
		}
	}
	return shape, count
}

// example is a request's input with zeros.
func (t described) example() object {
	shape, count := t.exampleShape()
	if shape == nil {
		shape = []int64{}
	}
	return object{"name": t.name, "datatype": t.kind.String(), "shape": shape, "data": t.zeros(count)}
}

func (t described) plainExample() any {
	_, count := t.exampleShape()
	if count == 1 {
		return t.zero()
	}
	return t.zeros(count)
}

func (t described) zeros(count int64) []any {
	zeros := []any{}
	for range min(count, mostExample) {
		zeros = append(zeros, t.zero())
	}
	return zeros
}

func (t described) zero() any {
	switch t.kind {
	case tensor.Bool:
		return false
	case tensor.Bytes:
		return "text"
	}
	return 0
}
