package modelconfig

import (
	"math"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// isNegativeZero reports whether a number is -0.0, which protobuf distinguishes from the default.
func isNegativeZero(v protoreflect.Value) bool {
	switch f := v.Interface().(type) {
	case float32:
		return f == 0 && math.Signbit(float64(f))
	case float64:
		return f == 0 && math.Signbit(f)
	}
	return false
}
