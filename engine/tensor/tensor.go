// Package tensor holds what every part of the engine agrees on about tensors: data types, shapes and
// the bytes themselves. It does no arithmetic and knows no model.
package tensor

// Tensor is a named block of little-endian, row-major bytes with a type and a shape.
//
// BYTES elements are stored as on Triton's wire: a 4-byte little-endian length, then the bytes,
// element after element, without padding (docs/triton/requests.md, "Data types").
type Tensor struct {
	Name  string
	Type  DataType
	Shape Shape
	// Data is not copied between the parts of the engine: a holder of a Tensor must not change it,
	// and may keep it only as long as the request or response that it came with.
	Data []byte
}
