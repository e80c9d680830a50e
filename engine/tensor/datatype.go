package tensor

// DataType is a tensor's element type (docs/triton/requests.md, "Data types"). The numbers are
// those of inference.DataType in model_config.proto, so that a conversion is a cast.
type DataType int32

// The data types of Triton.
const (
	Invalid DataType = iota
	Bool
	Uint8
	Uint16
	Uint32
	Uint64
	Int8
	Int16
	Int32
	Int64
	FP16
	FP32
	FP64
	Bytes // TYPE_STRING in a config, BYTES on the wire
	BF16
)

var dataTypes = [...]struct {
	api  string
	size int
}{
	Invalid: {"<invalid>", 0}, Bool: {"BOOL", 1},
	Uint8: {"UINT8", 1}, Uint16: {"UINT16", 2}, Uint32: {"UINT32", 4}, Uint64: {"UINT64", 8},
	Int8: {"INT8", 1}, Int16: {"INT16", 2}, Int32: {"INT32", 4}, Int64: {"INT64", 8},
	FP16: {"FP16", 2}, FP32: {"FP32", 4}, FP64: {"FP64", 8}, Bytes: {"BYTES", 0}, BF16: {"BF16", 2},
}

// ParseDataType reads a name on the wire, such as "FP32" or "BYTES". A config's name ("TYPE_FP32")
// and any other word give Invalid, false, as Triton refuses them (docs/triton/requests.md, "Data
// types").
func ParseDataType(api string) (DataType, bool) {
	for t := Bool; t <= BF16; t++ {
		if dataTypes[t].api == api {
			return t, true
		}
	}
	return Invalid, false
}

// String is the API name: "FP32", "BYTES".
func (t DataType) String() string {
	if t < Invalid || t > BF16 {
		return dataTypes[Invalid].api
	}
	return dataTypes[t].api
}

// ConfigName is the enumerator of model_config.proto: "TYPE_FP32", "TYPE_STRING".
func (t DataType) ConfigName() string {
	switch {
	case t == Bytes:
		return "TYPE_STRING"
	case t <= Invalid || t > BF16:
		return "TYPE_INVALID"
	}
	return "TYPE_" + dataTypes[t].api
}

// Size is the number of bytes of one element; 0 for BYTES, whose elements vary, and for Invalid.
func (t DataType) Size() int {
	if t < Invalid || t > BF16 {
		return 0
	}
	return dataTypes[t].size
}
