package httpapi

import (
	"encoding/binary"
	"math"

	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/kserve/httpapi/jsondoc"
	"conch/engine/kserve/request"
	"conch/engine/tensor"
)

// readData converts an input's "data" to the tensor's bytes (docs/triton/http.md, "Infer request").
// It counts the values before it takes memory: a shape is only a claim.
func readData(t *tensor.Tensor, data *jsondoc.Value, account *budget.Account) ([]byte, error) {
	count, fits := t.Shape.Elements()
	if fits && count == 0 || len(t.Shape) == 0 {
		return nil, nil // Triton does not look at the values then
	}
	if data.Kind() != jsondoc.Array {
		return nil, request.Unparsable("data", jsondoc.ErrNotArray)
	}
	return readValues(t, data, data.Leaves(), account)
}

// readValues converts the values of an array, or a single value, to a tensor's bytes. leaves is how many there are.
func readValues(t *tensor.Tensor, data *jsondoc.Value, leaves int, account *budget.Account) ([]byte, error) {
	switch t.Type {
	case tensor.Bytes:
		return readBytes(data, leaves, account)
	case tensor.FP16, tensor.BF16:
		return nil, infer.Errorf(infer.InvalidArg, "receiving %s data via JSON is not supported. "+
			"Please use the binary data format for input %s", t.Type, t.Name)
	case tensor.Invalid:
		return nil, infer.Errorf(infer.InvalidArg, "invalid datatype for input %s", t.Name)
	}
	count, fits := t.Shape.Elements()
	if !fits || count != int64(leaves) {
		return nil, wrongCount(t.Type, data, count)
	}
	if err := account.Grow(count * int64(t.Type.Size())); err != nil {
		return nil, err
	}
	out := make([]byte, 0, int(count)*t.Type.Size())
	out, err := appendElements(out, t.Type, data)
	if err != nil {
		return nil, request.Unparsable("data", err)
	}
	return out, nil
}

// wrongCount is the error for data of another number of values than the shape has. A value of a wrong kind that comes
// before the surplus is named first.
func wrongCount(t tensor.DataType, data *jsondoc.Value, count int64) error {
	var scratch [8]byte
	put, e := putters[t], data.Elements()
	for range max(count, 0) {
		token, more := e.Next()
		if !more {
			break
		}
		if _, err := put(scratch[:0], token); err != nil {
			return request.Unparsable("data", err)
		}
	}
	return infer.Errorf(infer.Internal, "Unable to parse 'data': Shape does not match true shape of 'data' field")
}

// appendElements converts all values. Integers are cut to the type's size without a check, as in Triton.
func appendElements(out []byte, t tensor.DataType, data *jsondoc.Value) ([]byte, error) {
	put := putters[t]
	for e := data.Elements(); ; {
		token, ok := e.Next()
		if !ok {
			return out, nil
		}
		var err error
		if out, err = put(out, token); err != nil {
			return nil, err
		}
	}
}

type putter func(out, token []byte) ([]byte, error)

var putters = map[tensor.DataType]putter{
	tensor.Bool:  putBool,
	tensor.Uint8: putUint[uint8], tensor.Uint16: putUint[uint16], tensor.Uint32: putUint[uint32], tensor.Uint64: putUint[uint64],
	tensor.Int8: putInt[int8], tensor.Int16: putInt[int16], tensor.Int32: putInt[int32], tensor.Int64: putInt[int64],
	tensor.FP32: putFloat, tensor.FP64: putDouble,
}

func putBool(out, token []byte) ([]byte, error) {
	switch string(token) {
	case "true":
		return append(out, 1), nil
	case "false":
		return append(out, 0), nil
	}
	return nil, jsondoc.ErrNotBool
}

func putUint[T uint8 | uint16 | uint32 | uint64](out, token []byte) ([]byte, error) {
	n, err := jsondoc.ParseUint(token)
	return putSized(out, n, T(0)), err
}

func putInt[T int8 | int16 | int32 | int64](out, token []byte) ([]byte, error) {
	n, err := jsondoc.ParseInt(token)
	return putSized(out, uint64(n), T(0)), err
}

// putSized appends the low bytes of n, as many as like has.
func putSized(out []byte, n uint64, like any) []byte {
	switch like.(type) {
	case uint8, int8:
		return append(out, byte(n))
	case uint16, int16:
		return binary.LittleEndian.AppendUint16(out, uint16(n))
	case uint32, int32:
		return binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	return binary.LittleEndian.AppendUint64(out, n)
}

func putFloat(out, token []byte) ([]byte, error) {
	f, err := jsondoc.ParseDouble(token)
	return binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(f))), err
}

func putDouble(out, token []byte) ([]byte, error) {
	f, err := jsondoc.ParseDouble(token)
	return binary.LittleEndian.AppendUint64(out, math.Float64bits(f)), err
}

// readBytes writes strings as BYTES elements. The model checks their number.
func readBytes(data *jsondoc.Value, leaves int, account *budget.Account) ([]byte, error) {
	room := data.Size() + 2*leaves // four bytes for a length in place of two quotation marks
	if err := account.Grow(int64(room)); err != nil {
		return nil, err
	}
	out := make([]byte, 0, room)
	for e := data.Elements(); ; {
		token, ok := e.Next()
		if !ok {
			return out, nil
		}
		if token[0] != '"' {
			return nil, infer.Errorf(infer.Internal, "Unable to parse JSON bytes array: %v", jsondoc.ErrNotString)
		}
		at := len(out)
		out = jsondoc.Unquote(append(out, 0, 0, 0, 0), token)
		binary.LittleEndian.PutUint32(out[at:], uint32(len(out)-at-4))
	}
}
