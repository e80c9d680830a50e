package model

// State reports whether a version serves, in Triton's words (docs/triton/repository.md, "Index").
type State string

// The states of a version. A version that was never loaded has no state.
const (
	Loading     State = "LOADING"
	Ready       State = "READY"
	Unloading   State = "UNLOADING"
	Unavailable State = "UNAVAILABLE"
)

// Unloaded is the reason of a version that was unloaded on request. Such a version does not make
// the server unready (docs/triton/loading.md, "Readiness").
const Unloaded = "unloaded"
