// Package region keeps the regions of shared memory that clients register: a client writes its inputs there, the
// server reads them, and writes outputs to them (docs/triton/http.md, "Shared memory").
//
// A region belongs to a client, which may shorten it at any time. Reading mapped memory that is gone would end this
// process. Therefore a region is a file here that is read and written by calls, and is never mapped. This costs one
// copy of each input. Tensors in a region need no encoding and no connection.
//
// On Linux a region is a file below /dev/shm. It must belong to the user of this process, so that one user cannot make
// the server read or write what is not theirs.
package region
