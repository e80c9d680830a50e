package derive

import "conch/configedit/modelconfig"

// savedDataType is the config's type for an element type number of TensorFlow (types.proto).
func savedDataType(element int64) modelconfig.DataType {
	if t, ok := savedTypes[element]; ok {
		return t
	}
	return modelconfig.DataType_TYPE_INVALID
}

// savedTypes are the types that the backend serves. bfloat16 is not among them.
var savedTypes = map[int64]modelconfig.DataType{
	1: modelconfig.DataType_TYPE_FP32, 2: modelconfig.DataType_TYPE_FP64, 3: modelconfig.DataType_TYPE_INT32,
	4: modelconfig.DataType_TYPE_UINT8, 5: modelconfig.DataType_TYPE_INT16, 6: modelconfig.DataType_TYPE_INT8,
	7: modelconfig.DataType_TYPE_STRING, 9: modelconfig.DataType_TYPE_INT64, 10: modelconfig.DataType_TYPE_BOOL,
	17: modelconfig.DataType_TYPE_UINT16, 19: modelconfig.DataType_TYPE_FP16,
	22: modelconfig.DataType_TYPE_UINT32, 23: modelconfig.DataType_TYPE_UINT64,
}

// savedTypeNames are TensorFlow's names for the types that cannot be served.
var savedTypeNames = map[int64]string{
	0: "DT_INVALID", 8: "DT_COMPLEX64", 11: "DT_QINT8", 12: "DT_QUINT8", 13: "DT_QINT32", 14: "DT_BFLOAT16",
	15: "DT_QINT16", 16: "DT_QUINT16", 18: "DT_COMPLEX128", 20: "DT_RESOURCE", 21: "DT_VARIANT",
}
