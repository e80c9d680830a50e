package memory

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// restLook is the time between two looks at what the process allocates.
	restLook = 10 * time.Second
	// workBytes is what a process at work allocates from one look to the next, at least.
	workBytes = 8 << 20
	// worthBytes is what must have been allocated since free memory was last given back, so that a process at rest collects
	// its garbage once or rarely, and not at each look.
	worthBytes = 8 << 20
)

// GiveBackAtRest gives free memory back to the system whenever this process rests or has little to do, until ctx is done. Go alone
// keeps for minutes what the work before needed: its garbage, and as much free memory as the next collection may need.
func GiveBackAtRest(ctx context.Context) {
	look := time.NewTicker(restLook)
	defer look.Stop()
	var r rest
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			if r.due(allocated()) {
				debug.FreeOSMemory()
			}
		}
	}
}

// rest knows from looks at the bytes that a process has allocated since its start whether memory should be given back.
type rest struct {
	seen, given uint64 // at the last look, and when memory was last given back
}

// due reports whether the process is at rest and has allocated enough that giving back is worth a collection.
func (r *rest) due(allocated uint64) bool {
	atWork := allocated-r.seen >= workBytes
	r.seen = allocated
	if atWork || allocated-r.given < worthBytes {
		return false
	}
	r.given = allocated
	return true
}

// allocated returns the bytes that Go has allocated since the start of this process.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
