package onnx

import (
	"sync/atomic"
	"time"

	"conch/engine/backend/onnx/ort"
)

const (
	// restAfter is how long a model has had no run when its arenas give memory back.
	restAfter = 2 * time.Second
	// keptInArena is how much of an arena may stay unused. Allocating it again would cost the next request some milliseconds.
	keptInArena = 16 << 20
)

// rest calls calm when nothing has run for a while. A run costs two atomic operations; there is no timer while nothing runs.
type rest struct {
	calm  func()
	runs  atomic.Uint64
	armed atomic.Bool
}

// ran notes that a run ended, or that memory of one was released.
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

// shrink returns back what the arenas of a model hold and nobody uses.
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

// ReleaseMemory returns to the system what the arenas of all models hold and nobody uses, and what strings left behind.
func (b *Backend) ReleaseMemory() {
	b.models.Range(func(m, _ any) bool {
		m.(*model).shrink()
		return true
	})
	ort.TrimMemory()
}
