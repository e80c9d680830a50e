// Package httpapi puts a kserve.Service on the wire as Triton's HTTP/REST protocol
// (docs/triton/http.md): the KServe v2 endpoints with Triton's extensions, its JSON (package
// jsondoc) and binary tensors, its status codes and its words.
//
// The package listens on nothing; NewServer gives a tuned http.Server. Handlers run concurrently
// and keep no state but pools of buffers. A size that a client claims is never believed: memory is
// taken as bytes arrive.
package httpapi
