// Package jsondoc reads and writes JSON as Triton does through RapidJSON: the same syntax (NaN and
// Infinity are numbers), the same error texts with the same offsets, the same digits.
//
// Parse checks the whole document but builds values for objects only. An array of numbers stays as its
// bytes, and Elements iterates over it. So a tensor of a million values needs no allocation.
//
// A Value borrows the bytes that it was parsed from. Values may be read
// concurrently.
package jsondoc
