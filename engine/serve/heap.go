package serve

import "runtime"

// heapFloor is memory that is asked for and never touched, so that it takes none of the machine's. The collector lets the
// heap double; a server of small requests has so small a heap that it would be collected tens of times a second.
const heapFloor = 8 << 20

// roomyHeap spares the collector that work until its result is called.
func roomyHeap() (done func()) {
	floor := make([]byte, heapFloor)
	return func() { runtime.KeepAlive(floor) }
}
