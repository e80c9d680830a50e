// Package tensorjson converts between the bytes of a tensor and the values that people type: a JSON
// array, with NaN and Infinity allowed. Its errors are for people: which input, which element, what
// was expected. The package is pure.
package tensorjson
