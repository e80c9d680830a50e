package tracing

import (
	"sync"

	"conch/engine/infer"
)

const (
	keptTraces = 8         // requests whose tensors are kept
	keptBytes  = 128 << 20 // and their tensors' total size
)

// Kept holds the newest traces with tensors for a later request.
type Kept struct {
	mu     sync.Mutex // guards what follows
	last   uint64
	traces []keptTrace // the newest last
	bytes  int
}

type keptTrace struct {
	id    uint64
	bytes int
	trace *infer.Trace
}

// Keep stores a finished trace and returns its number for Find.
func (k *Kept) Keep(t *infer.Trace) uint64 {
	size := sizeOf(t)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last++
	k.traces = append(k.traces, keptTrace{k.last, size, t})
	k.bytes += size
	for len(k.traces) > 1 && (len(k.traces) > keptTraces || k.bytes > keptBytes) {
		k.bytes -= k.traces[0].bytes
		k.traces = append([]keptTrace(nil), k.traces[1:]...)
	}
	return k.last
}

// Find returns a trace that is still kept.
func (k *Kept) Find(id uint64) (*infer.Trace, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.traces {
		if t.id == id {
			return t.trace, true
		}
	}
	return nil, false
}

func sizeOf(t *infer.Trace) (n int) {
	for i := range t.Inputs {
		n += len(t.Inputs[i].Data)
	}
	for _, a := range t.Responses {
		for i := range a.Outputs {
			n += len(a.Outputs[i].Data)
		}
	}
	for _, step := range t.Steps {
		n += sizeOf(step)
	}
	return n
}
