package serve

import (
	"math"
	"runtime"
	"runtime/debug"

	"conch/engine/backend"
	"conch/engine/budget"
)

// heapFloor is the size of a block that is allocated and never touched, so it takes no physical memory. The collector
// runs when the heap has doubled. The heap of a server with small requests is so small that it would be collected
// tens of times a second.
const heapFloor = 8 << 20

// roomyHeap allocates the block, and its result frees it.
func roomyHeap() (done func()) {
	floor := make([]byte, heapFloor)
	return func() { runtime.KeepAlive(floor) }
}

// besideRequests is how much the heap may hold besides requests and answers before it is collected more
// often.
const besideRequests = 128 << 20

// boundHeap makes the collector keep the heap near the limit of requests and answers; otherwise it could grow to
// twice the limit. It also returns memory to the system, including the backends' memory, a second after a peak;
// otherwise that would take minutes. A limit that the user set with GOMEMLIMIT has priority.
func boundHeap(b *budget.Budget, backends []backend.Backend) {
	if limit := b.Limit(); limit > 0 && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(limit + limit/4 + besideRequests)
	}
	b.OnCalm(func() {
		runtime.GC() // a pool frees what two collections find unused
		debug.FreeOSMemory()
		for _, each := range backends {
			if r, ok := each.(backend.Releaser); ok {
				r.ReleaseMemory()
			}
		}
	})
}
