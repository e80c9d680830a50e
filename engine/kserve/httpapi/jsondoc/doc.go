// Package jsondoc reads and writes JSON as Triton does through RapidJSON: the same syntax (NaN and
// Infinity are numbers), the same error texts with the same offsets, the same digits.
//
// Parse checks the whole document but builds values for objects only: an array of numbers stays the bytes it
// was sent as and is walked by Elements, so a tensor of a million values costs no allocation of its own.
//
// A Value borrows the bytes it was parsed from. Nothing here keeps state; Values may be read concurrently.
package jsondoc
