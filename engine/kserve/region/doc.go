// Package region keeps the regions of shared memory that clients register: a client writes its inputs there, the
// server reads them, and writes outputs to them (docs/triton/http.md, "Shared memory").
//
// A region belongs to a client, which may change and shorten it at any time, also while a model reads it. It is mapped so that
// it harms only its own answer (mapped). Where it cannot be mapped, it is read and written by calls.
//
// A region of kind CUDA is memory of its client on a GPU (cuda). It is copied with each request, unless the model reads it there
// (Span.Away).
//
// On Linux a system region is a file below /dev/shm. It must belong to the user of this process, so that one user cannot make
// the server read or write what is not theirs.
package region
