package httpapi

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi/jsondoc"
	"conch/engine/tensor"
)

// reply is an encoded answer: JSON, then the binary outputs.
type reply struct {
	*buffer
	jsonSize int
}

// encode writes a response, and counts it (docs/triton/http.md, "Infer response";
// docs/triton/http.md, "Binary data").
func (r *reply) encode(f *inference, resp *infer.Response) error {
	size := int64(0)
	for i := range resp.Outputs {
		if !f.InRegion(resp.Outputs[i].Name) {
			size += int64(len(resp.Outputs[i].Data))
		}
	}
	if err := f.c.account.Grow(size); err != nil {
		return err
	}
	if err := r.write(f, resp); err != nil {
		return err
	}
	if took := int64(len(r.bytes)); took > size { // as text
		return f.c.account.Grow(took - size)
	}
	return nil
}

func (r *reply) write(f *inference, resp *infer.Response) error {
	b := jsondoc.Builder{Bytes: r.bytes[:0]}
	b.Begin('{')
	if f.ID != "" {
		b.Member("id", f.ID)
	}
	b.Member("model_name", resp.Model)
	b.Member("model_version", strconv.FormatInt(resp.Version, 10))
	writeParameters(&b, resp.Parameters)
	b.Key("outputs")
	b.Begin('[')
	blobs := 0
	for i := range resp.Outputs {
		out := &resp.Outputs[i]
		form := f.form(out.Name)
		if form == asBinary {
			blobs += len(out.Data)
		}
		if err := writeOutput(&b, out, form); err != nil {
			return asPlain(err)
		}
	}
	b.End(']')
	b.End('}')
	r.jsonSize = len(b.Bytes)
	r.bytes = slices.Grow(b.Bytes, blobs)
	for i := range resp.Outputs {
		if f.form(resp.Outputs[i].Name) == asBinary {
			r.bytes = append(r.bytes, resp.Outputs[i].Data...)
		}
	}
	return nil
}

// form is how the values of an output reach the client.
type form int

const (
	asJSON   form = iota
	asBinary      // after the JSON
	inRegion      // in shared memory: the answer has the description only
)

// form returns the form of an output. binary_data_output applies only to outputs that are not listed.
func (f *inference) form(name string) form {
	if f.InRegion(name) {
		return inRegion
	}
	binary := f.Binary
	for _, w := range f.wanted {
		if w.name == name {
			binary = w.binary
			break
		}
	}
	if binary {
		return asBinary
	}
	return asJSON
}

func writeParameters(b *jsondoc.Builder, params map[string]any) {
	if len(params) == 0 {
		return
	}
	b.Key("parameters")
	b.Begin('{')
	for _, name := range kserve.SortedKeys(params) {
		b.Key(name)
		writeScalar(b, params[name])
	}
	b.End('}')
}

func writeScalar(b *jsondoc.Builder, value any) {
	switch v := value.(type) {
	case bool:
		b.Bool(v)
	case int64:
		b.Int(v)
	case uint64:
		b.Uint(v)
	case float64:
		b.Double(v)
	case string:
		b.String(v)
	default:
		b.String("")
	}
}

func writeOutput(b *jsondoc.Builder, t *tensor.Tensor, as form) error {
	b.Begin('{')
	b.Member("name", t.Name)
	b.Member("datatype", t.Type.String())
	b.Ints("shape", t.Shape)
	switch as {
	case asBinary:
		b.Key("parameters")
		b.Begin('{')
		b.Key("binary_data_size")
		b.Int(int64(len(t.Data)))
		b.End('}')
	case asJSON:
		b.Key("data")
		b.Begin('[')
		if err := writeData(b, t); err != nil {
			return err
		}
		b.End(']')
	}
	b.End('}')
	return nil
}

// writeData writes a tensor's values as a flat list, for any shape (docs/triton/http.md, "Infer
// response").
func writeData(b *jsondoc.Builder, t *tensor.Tensor) error {
	switch t.Type {
	case tensor.FP16, tensor.BF16:
		return infer.Errorf(infer.InvalidArg, "sending %s data via JSON is not supported. "+
			"Please use the binary data format for output", t.Type)
	case tensor.Bytes:
		return writeStrings(b, t)
	}
	size, write := t.Type.Size(), writers[t.Type]
	if size == 0 || write == nil || len(t.Data)%size != 0 {
		return infer.Errorf(infer.Internal, "output '%s' of type %s has %d bytes", t.Name, t.Type, len(t.Data))
	}
	for at := 0; at < len(t.Data); at += size {
		write(b, t.Data[at:at+size])
	}
	return nil
}

var little = binary.LittleEndian

// writers print one element each.
var writers = map[tensor.DataType]func(*jsondoc.Builder, []byte){
	tensor.Bool:   func(b *jsondoc.Builder, e []byte) { b.Bool(e[0] != 0) },
	tensor.Uint8:  func(b *jsondoc.Builder, e []byte) { b.Uint(uint64(e[0])) },
	tensor.Uint16: func(b *jsondoc.Builder, e []byte) { b.Uint(uint64(little.Uint16(e))) },
	tensor.Uint32: func(b *jsondoc.Builder, e []byte) { b.Uint(uint64(little.Uint32(e))) },
	tensor.Uint64: func(b *jsondoc.Builder, e []byte) { b.Uint(little.Uint64(e)) },
	tensor.Int8:   func(b *jsondoc.Builder, e []byte) { b.Int(int64(int8(e[0]))) },
	tensor.Int16:  func(b *jsondoc.Builder, e []byte) { b.Int(int64(int16(little.Uint16(e)))) },
	tensor.Int32:  func(b *jsondoc.Builder, e []byte) { b.Int(int64(int32(little.Uint32(e)))) },
	tensor.Int64:  func(b *jsondoc.Builder, e []byte) { b.Int(int64(little.Uint64(e))) },
	tensor.FP32:   func(b *jsondoc.Builder, e []byte) { b.Double(float64(math.Float32frombits(little.Uint32(e)))) },
	tensor.FP64:   func(b *jsondoc.Builder, e []byte) { b.Double(math.Float64frombits(little.Uint64(e))) },
}

func writeStrings(b *jsondoc.Builder, t *tensor.Tensor) error {
	for data := t.Data; len(data) > 0; {
		if len(data) < 4 || uint64(little.Uint32(data)) > uint64(len(data)-4) {
			return infer.Errorf(infer.Internal, "output '%s' holds an incomplete string", t.Name)
		}
		end := 4 + int(little.Uint32(data))
		b.RawString(data[4:end])
		data = data[end:]
	}
	return nil
}
