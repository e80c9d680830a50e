// Package starter writes a first program for a Python model: one that loads, and answers
// each request with tensors of the shapes and types that the config asks for. People put their own code
// into it. Its functions are pure.
package starter
