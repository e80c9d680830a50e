package modelfile

import (
	"conch/configedit/modelconfig"
)

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

// savedTypeNames are TensorFlow's names for its types, by number, and behind refs those of variables that hold one.
var savedTypeNames = [...]string{
	"DT_INVALID", "DT_FLOAT", "DT_DOUBLE", "DT_INT32", "DT_UINT8", "DT_INT16", "DT_INT8", "DT_STRING", "DT_COMPLEX64",
	"DT_INT64", "DT_BOOL", "DT_QINT8", "DT_QUINT8", "DT_QINT32", "DT_BFLOAT16", "DT_QINT16", "DT_QUINT16", "DT_UINT16",
	"DT_COMPLEX128", "DT_HALF", "DT_RESOURCE", "DT_VARIANT", "DT_UINT32", "DT_UINT64",
}

const refs = 100

// unservedName names a type that the backend does not serve; "" for one that it does, and for an unknown number.
func unservedName(element int64) string {
	_, served := savedTypes[element]
	switch {
	case served:
		return ""
	case element >= 0 && element < int64(len(savedTypeNames)):
		return savedTypeNames[element]
	case element > refs && element < refs+int64(len(savedTypeNames)):
		return savedTypeNames[element-refs] + "_REF"
	}
	return ""
}
