// Package tensorjson turns the values that people type, a JSON array with NaN and Infinity allowed, into the bytes
// of a tensor and back. Its errors are for people: which input, which element, what was expected. It is pure.
package tensorjson
