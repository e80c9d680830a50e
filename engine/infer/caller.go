package infer

import "sync/atomic"

// Caller is the execution in which a model made a request to another (business logic scripting).
type Caller struct {
	Model string
	Load  uint64 // tells the load of the model from others: its counters' generation
	// By is the deepest of those that the execution runs for; nil for clients.
	By *Caller

	ended atomic.Bool
}

// End notes that the execution has returned: its instance is free for others.
func (c *Caller) End() { c.ended.Store(true) }

// Depth is how many executions a request comes through; 0 for a client's.
func (c *Caller) Depth() (n int) {
	for ; c != nil; c = c.By {
		n++
	}
	return n
}

// Holds is how many instances of a load wait for the request.
func (c *Caller) Holds(load uint64) (n int) {
	for ; c != nil; c = c.By {
		if c.Load == load && !c.ended.Load() {
			n++
		}
	}
	return n
}

// String is the way that the request came: "a calls b calls a".
func (c *Caller) String() string {
	if c.By == nil {
		return c.Model
	}
	return c.By.String() + " calls " + c.Model
}
