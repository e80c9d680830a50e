package infer

import "sync/atomic"

// Caller is the execution that made a request to another model (business logic scripting).
type Caller struct {
	Model string
	Load  uint64 // identifies the load of the model: its counters' generation
	// By is the deepest caller of the execution's own requests; nil if only clients made them.
	By *Caller

	ended atomic.Bool
}

// End records that the execution has returned: its instance is free for others.
func (c *Caller) End() { c.ended.Store(true) }

// Depth returns how many nested calls lead to a request; 0 for a client's request.
func (c *Caller) Depth() (n int) {
	for ; c != nil; c = c.By {
		n++
	}
	return n
}

// Holds returns how many instances of a load wait for the request.
func (c *Caller) Holds(load uint64) (n int) {
	for ; c != nil; c = c.By {
		if c.Load == load && !c.ended.Load() {
			n++
		}
	}
	return n
}

// String returns the chain of calls: "a calls b calls a".
func (c *Caller) String() string {
	if c.By == nil {
		return c.Model
	}
	return c.By.String() + " calls " + c.Model
}
