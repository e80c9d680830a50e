package infer

import (
	"time"

	"conch/engine/tensor"
)

// Response is one answer to a Request.
type Response struct {
	ID         string
	Model      string
	Version    int64
	Outputs    []tensor.Tensor // in the order the backend made them
	Parameters map[string]any
	Timings    Timings
	// Cache reports whether the response cache was asked, and CacheTook how long that was, keeping the response included.
	Cache     CacheUse
	CacheTook time.Duration
	// Final is false on all but the last response of a decoupled model.
	Final bool
	// Late: the request was counted as a success before, when its execution ended.
	Late bool
	// Labels names the classes of the Outputs, as the version has them that made each; nil when none has a name.
	Labels Labels
	// Release gives back memory that Outputs borrow from the backend; nil when there is none. The one who
	// called the sink calls it, after the sink returned. A sink that wants to keep the outputs longer takes the
	// function, sets the field to nil and calls it when done.
	Release func()
}

// Labels names the classes of outputs; "" is one without a name.
type Labels interface {
	Label(output string, class int) string
}

// CacheUse is what the response cache had to do with a response.
type CacheUse int

// The uses.
const (
	NoCache   CacheUse = iota
	CacheHit           // nothing ran for it
	CacheMiss          // it ran, and was kept for the next
)

// Output finds an output by name, or nil.
func (r *Response) Output(name string) *tensor.Tensor {
	for i := range r.Outputs {
		if r.Outputs[i].Name == name {
			return &r.Outputs[i]
		}
	}
	return nil
}

// Timings says where a request's time went, in Triton's stages (docs/triton/metrics.md, "What
// counts as what").
type Timings struct {
	Queue  time.Duration // from arrival at the scheduler until an instance took it
	Input  time.Duration // gathering inputs into what the framework reads
	Infer  time.Duration // in the framework
	Output time.Duration // taking outputs out
	Total  time.Duration // from Received until the response was given to the sink
}
