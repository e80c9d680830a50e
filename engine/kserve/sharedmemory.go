package kserve

import "conch/engine/infer"

// There is no shared memory with clients. The server answers like a Triton with shared memory switched off
// (docs/triton/http.md, "Shared memory").

// NoRegion refuses a region of shared memory, since none was ever registered. kind is "system", "cuda", or "" for the region of
// a tensor.
func NoRegion(kind, name string) error {
	if kind != "" {
		kind += " "
	}
	return infer.Errorf(infer.NotFound, "Unable to find %sshared memory region: '%s'", kind, name)
}

// NoSharedMemory refuses to register one.
func NoSharedMemory() error {
	return infer.Errorf(infer.Unsupported, "the server does not support shared memory of clients")
}
