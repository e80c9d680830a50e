package onnx

import (
	"sync/atomic"
	"time"

	"conch/engine/backend/onnx/ort"
)

const (
	// restAfter is how long after its last run a model's arenas return memory.
	restAfter = 2 * time.Second
	// keptInArena is how much of an arena may stay unused. Allocating it again would cost the next request some milliseconds.
	keptInArena = 16 << 20
)

// rest calls calm when nothing has run for a while. A run costs two atomic operations. No timer runs in an idle model.
type rest struct {
	calm  func()
	runs  atomic.Uint64
	armed atomic.Bool
}

// ran records that a run ended, or that the memory of a run was released.
func (r *rest) ran() {
	r.runs.Add(1)
	if !r.armed.Load() && r.armed.CompareAndSwap(false, true) {
		r.wait()
	}
}

func (r *rest) wait() {
	seen := r.runs.Load()
	time.AfterFunc(restAfter, func() { r.look(seen) })
}

func (r *rest) look(seen uint64) {
	if r.runs.Load() != seen {
		r.wait()
		return
	}
	r.armed.Store(false)
	r.calm()
	if r.runs.Load() != seen && r.armed.CompareAndSwap(false, true) { // a run that saw the timer still armed
		r.wait()
	}
}

// shrink returns the unused memory of a model's arenas.
func (m *model) shrink() {
	m.mu.Lock()
	defer m.mu.Unlock()
	freed := uint64(0)
	for at, session := range m.sessions {
		if !at.gpu { // inputs would be copied to the device
			freed += session.Shrink(keptInArena)
		}
	}
	if freed > 0 {
		ort.TrimMemory()
	}
}

// ReleaseMemory returns the unused memory of all models' arenas, and the memory of freed strings, to the system.
func (b *Backend) ReleaseMemory() {
	b.models.Range(func(m, _ any) bool {
		m.(*model).shrink()
		return true
	})
	ort.TrimMemory()
}
