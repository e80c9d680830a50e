package tensor

// What ONNX Runtime needs for a BYTES element, which it keeps as a C++ string. engine/backend/onnx measures that these
// figures are right.
const (
	stringSize = 32 // a string, with a short text inside
	shortText  = 15 // longest text that is kept inside
	textCost   = 32 // what a longer text needs besides its bytes, at most
	lengthSize = 4  // the length before an element's bytes, in Data
)

// StringsSize returns how much memory the strings of a BYTES tensor need at most, when a framework makes a string of
// each element. bytes is the length of the tensor's Data.
func StringsSize(elements, bytes int64) int64 {
	text := max(bytes-lengthSize*elements, 0)
	long := min(elements, text/(shortText+1))
	return stringSize*elements + text + textCost*long
}

// StringsSize returns how much memory the strings of its elements need at most; 0 for a tensor of numbers. The shape
// is a client's claim: there are no more elements than Data can hold.
func (t *Tensor) StringsSize() int64 {
	if t.Type != Bytes {
		return 0
	}
	size := int64(len(t.Data))
	elements, known := t.Shape.Elements()
	if !known {
		elements = size
	}
	return StringsSize(min(elements, size/lengthSize), size)
}
