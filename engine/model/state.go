package model

// State is where a version stands, in Triton's words (triton-runtime A11).
type State string

// The states of a version. One that was never loaded has none.
const (
	Loading     State = "LOADING"
	Ready       State = "READY"
	Unloading   State = "UNLOADING"
	Unavailable State = "UNAVAILABLE"
)

// Unloaded is the reason of a version that was taken out on purpose; it does not make a server unready (A3).
const Unloaded = "unloaded"
