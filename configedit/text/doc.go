// Package text reads config.pbtxt as text: positions, tokens, and a tree that
// keeps every byte of the file, comments and mistakes included. It knows the
// grammar of protobuf's text format as Triton's C++ parser takes it. Which fields
// exist is known to package modelconfig. A Schema is used only if brackets or
// quotes do not match, to find where one is missing.
//
// Parse never fails. What it cannot make sense of is kept in the tree as junk
// next to the thing it follows, so that Print gives back the source for every
// input and an editor can work on a broken file. Time is linear in the size of
// the input and nesting is bounded by MaxDepth.
//
// A File, and a Document once parsed, are never changed; share them freely.
package text
