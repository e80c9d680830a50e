package python

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"conch/engine/backend/python/wire"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// request is a request as Python gets it.
func (in *instance) request(r *infer.Request, handle uint64) *wire.Request {
	q := &wire.Request{
		Handle: handle, Timeout: uint64(r.Timeout.Microseconds()), Priority: r.Priority, Correlation: r.Sequence.ID,
		ID: r.ID, Name: r.Sequence.Name, Inputs: r.Inputs, Outputs: in.outputs,
	}
	if r.Trace != nil && r.Trace.Span.Valid() {
		q.Trace = traceContext(r.Trace.Span)
	}
	if r.Sequence.Start {
		q.Flags |= wire.SequenceStart
	}
	if r.Sequence.End {
		q.Flags |= wire.SequenceEnd
	}
	if len(r.Outputs) > 0 {
		q.Outputs = make([]string, 0, len(r.Outputs))
		for i := range r.Outputs {
			if name := r.Outputs[i].Name; slices.Contains(in.outputs, name) { // a state that nobody keeps is not asked for
				q.Outputs = append(q.Outputs, name)
			}
		}
	}
	if len(r.Parameters) > 0 {
		q.Parameters = writeParameters(r.Parameters)
	}
	return q
}

// traceContext is the place of a request among the traces of other programs, as the model gets it: as JSON.
func traceContext(s infer.Span) string {
	headers := map[string]string{"traceparent": s.Traceparent()}
	if s.State != "" {
		headers["tracestate"] = s.State
	}
	text, _ := json.Marshal(headers) // a map of strings never fails
	return string(text)
}

// responseOf makes a response of what a model returned. An error of the model is the error.
func responseOf(from *process, reply wire.Reply, wants func(string) bool) (*infer.Response, error) {
	response, err := read(reply, wants)
	switch {
	case reply.Segment == 0:
	case err != nil:
		from.shared.Release(reply.Segment)
	default:
		response.Release = sync.OnceFunc(func() { from.shared.Release(reply.Segment) })
	}
	return response, err
}

// ofModel is an error with which a model answered.
type ofModel struct{ error }

func (o ofModel) Unwrap() error { return o.error }

func read(reply wire.Reply, wants func(string) bool) (*infer.Response, error) {
	if reply.Refused != nil {
		return nil, reply.Refused
	}
	if reply.Failed {
		return nil, ofModel{infer.Errorf(infer.Code(reply.Code), "%s", reply.Error)}
	}
	for i := range reply.Outputs {
		if !sound(&reply.Outputs[i]) {
			return nil, infer.Errorf(infer.Internal, "the output '%s' has %d bytes, which do not fit its shape %s", reply.Outputs[i].Name,
				len(reply.Outputs[i].Data), reply.Outputs[i].Shape)
		}
	}
	response := &infer.Response{Outputs: slices.DeleteFunc(reply.Outputs, func(t tensor.Tensor) bool { return !wants(t.Name) })}
	if reply.Parameters != "" {
		parameters, err := readParameters(reply.Parameters)
		if err != nil {
			return nil, infer.Errorf(infer.Internal, "the parameters of a response: %v", err)
		}
		response.Parameters = parameters
	}
	return response, nil
}

// sound reports whether a tensor has the bytes that its type and shape say.
func sound(t *tensor.Tensor) bool {
	if t.Type != tensor.Bytes {
		size, ok := t.Shape.ByteSize(t.Type)
		return ok && size == int64(len(t.Data))
	}
	elements, ok := t.Shape.Elements()
	data := t.Data
	for ; ok && elements > 0; elements-- {
		if len(data) < 4 || uint64(len(data)-4) < uint64(binary.LittleEndian.Uint32(data)) {
			return false
		}
		data = data[4+binary.LittleEndian.Uint32(data):]
	}
	return ok && len(data) == 0
}

// writeParameters writes parameters as Python reads JSON. There is at least one.
func writeParameters(parameters map[string]any) string {
	var out []byte
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		out = append(appendJSON(append(out, ','), name), ':')
		if f, ok := parameters[name].(float64); ok {
			out = append(out, pythonFloat(f)...)
			continue
		}
		out = appendJSON(out, parameters[name])
	}
	out[0] = '{'
	return string(append(out, '}'))
}

// appendJSON appends a text, an integer or a boolean, with <, > and & as they are, since a model sees the JSON.
func appendJSON(out []byte, value any) []byte {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // which does not fail for these
	return append(out, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}

// pythonFloat writes a float for Python, which reads 1000 as an integer and knows what encoding/json refuses.
func pythonFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// readParameters reads parameters: booleans, integers of 64 bits and texts.
func readParameters(text string) (map[string]any, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, err
	}
	parameters := make(map[string]any, len(raw))
	for name, value := range raw {
		var whole *int64
		if json.Unmarshal(value, &whole) == nil && whole != nil {
			parameters[name] = *whole
			continue
		}
		var other any
		if err := json.Unmarshal(value, &other); err != nil {
			return nil, err
		}
		switch other.(type) {
		case bool, string:
			parameters[name] = other
		default:
			return nil, infer.Errorf(infer.Internal, "Unsupported value type on parameters: '%s' is no boolean, text or integer of 64 bits", name)
		}
	}
	return parameters, nil
}

// sizeOf returns how many bytes tensors have.
func sizeOf(tensors []tensor.Tensor) (size int) {
	for i := range tensors {
		size += len(tensors[i].Data)
	}
	return size
}
