// Package repeated keeps what was read from texts that come again and again: the requests of a client often differ in their tensors
// alone. It knows nothing of what the texts say.
package repeated
