// Package httpapi puts a kserve.Service on the wire as Triton's HTTP/REST protocol: the KServe v2
// endpoints with Triton's extensions, its JSON (package jsondoc) and binary tensors, its status codes and its
// words. "A5" in a comment is a section of the runtime reference that the behaviour was measured for.
//
// The package listens on nothing; NewServer gives a tuned http.Server. Handlers run concurrently and keep no
// state but pools of buffers. Sizes that a client claims are never believed: memory is taken as bytes arrive.
package httpapi
