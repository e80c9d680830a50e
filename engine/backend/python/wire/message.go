package wire

import "conch/engine/tensor"

// What becomes of a request when its batch has been executed.
const (
	Answered uint32 = iota
	Later           // its responses come by Send
	Again           // it runs again
)

// The flags of a request.
const (
	SequenceStart uint32 = 1
	SequenceEnd   uint32 = 2
)

// Request is a request as it is on the wire.
type Request struct {
	Handle      uint64
	Timeout     uint64 // microseconds
	Priority    uint64
	Correlation uint64
	Flags       uint32
	ID          string
	Name        string // the correlation ID where it is a string
	Parameters  string // a JSON object, or ""
	Trace       string
	Outputs     []string
	Inputs      []tensor.Tensor
}

// Reply is an answer as it is on the wire.
type Reply struct {
	Failed     bool
	Code       uint32
	Error      string
	Parameters string // a JSON object, or ""
	Outputs    []tensor.Tensor
	Segment    uint32 // where outputs lie; 0 when all are inline
	Refused    error  // why there is no memory for the outputs; the rest is empty then
}

// Invocation is a request to another model.
type Invocation struct {
	Parent    uint64
	Version   int64
	Decoupled bool
	Model     string
	Request   Request
	Segment   uint32
	Refused   error // why there is no memory for the inputs, of which there are none then
}
