package serve

import (
	"runtime"
	"testing"
)

func TestRoomyHeap(t *testing.T) {
	defer roomyHeap()()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.NextGC < 2*heapFloor {
		t.Errorf("the next collection is at %d bytes, want at least %d", m.NextGC, 2*heapFloor)
	}
}
