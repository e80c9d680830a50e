package infer

// Caller is the execution that made a request to another model (business logic scripting).
type Caller struct {
	Model string
	Load  uint64 // identifies the load of the model: its counters' generation
	// By is the deepest caller of the execution's own requests; nil if only clients made them.
	By *Caller
	// Traces are those of the execution's own requests; calls are a part of them.
	Traces []*Trace
	Trial  bool // all of the execution's own requests are trials
}

// TraceCall begins the trace of a call; nil when none of the execution's requests is traced.
func (c *Caller) TraceCall() *Trace {
	var call *Trace
	for _, t := range c.Traces {
		if call == nil {
			call = t.call()
		} else {
			t.add(call)
		}
	}
	return call
}

// Depth returns how many nested calls lead to a request; 0 for a client's request.
func (c *Caller) Depth() (n int) {
	for ; c != nil; c = c.By {
		n++
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
