package serve

import (
	"math"
	"runtime"
	"runtime/debug"

	"conch/engine/backend"
	"conch/engine/budget"
)

// heapFloor is memory that is asked for and never touched, so that it takes none of the machine's. The collector lets the
// heap double; a server of small requests has so small a heap that it would be collected tens of times a second.
const heapFloor = 8 << 20

// roomyHeap spares the collector that work until its result is called.
func roomyHeap() (done func()) {
	floor := make([]byte, heapFloor)
	return func() { runtime.KeepAlive(floor) }
}

// besideRequests is what the heap may hold beside requests and answers before it is collected more often.
const besideRequests = 128 << 20

// boundHeap has the collector keep the heap near what requests and answers may hold, where it would let it grow to twice as
// much, and gives memory back to the system soon after a peak, where it would take minutes, that of the backends too. A limit
// that the user set with GOMEMLIMIT stands.
func boundHeap(b *budget.Budget, backends []backend.Backend) {
	if limit := b.Limit(); limit > 0 && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(limit + limit/4 + besideRequests)
	}
	b.OnCalm(func() {
		runtime.GC() // a pool lets go what two collections find unused
		debug.FreeOSMemory()
		for _, each := range backends {
			if r, ok := each.(backend.Releaser); ok {
				r.ReleaseMemory()
			}
		}
	})
}
