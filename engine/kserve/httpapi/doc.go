// Package httpapi serves a kserve.Service over Triton's HTTP/REST protocol (docs/triton/http.md):
// the KServe v2 endpoints with Triton's extensions, its JSON (package jsondoc) and binary tensors,
// its status codes and its words.
//
// The package opens no port; NewServer returns a tuned http.Server. Handlers run concurrently and
// keep no state except pools of buffers. They do not trust a size that a client claims: memory is
// taken as bytes arrive.
package httpapi
