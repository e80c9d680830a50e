package infer

import (
	"time"
	"unsafe"

	"conch/engine/tensor"
)

// Response is one answer to a Request.
type Response struct {
	ID         string
	Model      string
	Version    int64
	Outputs    []tensor.Tensor // in the order the backend made them
	Landed     []string        // outputs without Data: their bytes are where Request.Landings wants them
	Parameters map[string]any
	Timings    Timings
	// Cache reports whether the response cache was used, and CacheTook how long that took, including storing the
	// response.
	Cache     CacheUse
	CacheTook time.Duration
	// Err is set instead of Outputs where one response among those of a decoupled model is an error. It is not Final.
	Err error
	// Final is false on all but the last response of a decoupled model.
	Final bool
	// Late is true if the request was already counted as a success when its execution ended.
	Late bool
	// GPU is the UUID of the GPU whose counters count the request; "" where it has none of its own.
	GPU string
	// Labels names the classes of the Outputs. Each output has the names of the version that made it. nil when
	// there are no names.
	Labels Labels
	// Release frees memory that Outputs borrow from the backend; nil when there is none. The caller of the sink
	// calls it after the sink has returned. A sink that keeps the outputs longer takes the function, sets the
	// field to nil, and calls the function when done.
	Release func()
}

// partSize is about the memory of a response, and of each of its tensors and parameters, besides their bytes.
const partSize = 256

// Size returns about how much memory the response holds. What was made in the rooms of its request (Request.Rooms) is not its own.
func (r *Response) Size(rooms map[string][]byte) int64 {
	size := int64(partSize + len(r.ID) + len(r.Model))
	for i := range r.Outputs {
		t := &r.Outputs[i]
		size += partSize + int64(len(t.Name)+8*len(t.Shape))
		if !MadeIn(rooms[t.Name], t.Data) {
			size += int64(len(t.Data))
		}
	}
	for key, value := range r.Parameters {
		text, _ := value.(string)
		size += partSize + int64(len(key)+len(text))
	}
	return size
}

// MadeIn reports whether an output was made in the room that its request has for it.
func MadeIn(room, data []byte) bool {
	return len(data) > 0 && len(room) > 0 && unsafe.SliceData(data) == unsafe.SliceData(room)
}

// Labels returns the names of output classes; "" for a class without a name.
type Labels interface {
	Label(output string, class int) string
}

// CacheUse is how a response used the response cache.
type CacheUse int

// The uses.
const (
	NoCache   CacheUse = iota
	CacheHit           // no execution
	CacheMiss          // it ran, and its response was stored
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

// Timings are the times of a request's stages, as Triton defines them (docs/triton/metrics.md,
// "What counts as what").
type Timings struct {
	Queue  time.Duration // from arrival at the scheduler until an instance took it
	Input  time.Duration // gathering inputs into what the framework reads
	Infer  time.Duration // in the framework
	Output time.Duration // taking outputs out
	Total  time.Duration // from Received until the sink got the response
}
