package memory

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// TestDue: memory is given back once after work, not during it, and again only after more was allocated.
func TestDue(t *testing.T) {
	const mb = 1 << 20
	var r rest
	for i, look := range []struct {
		allocated uint64
		due       bool
	}{
		{50 * mb, false},  // at work
		{90 * mb, false},  // still
		{91 * mb, true},   // at rest
		{92 * mb, false},  // nothing worth a collection since
		{98 * mb, false},  // nor now
		{99 * mb, true},   // as much as is worth it, little by little
		{120 * mb, false}, // at work again
		{120 * mb, true},
	} {
		if due := r.due(look.allocated); due != look.due {
			t.Errorf("look %d, %d MB allocated: due is %v", i, look.allocated/mb, due)
		}
	}
}

// TestGiveBackAtRest: garbage is gone from the process soon after its work.
func TestGiveBackAtRest(t *testing.T) {
	const garbage = 64 << 20
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go GiveBackAtRest(ctx)
		before := held()
		for range garbage >> 20 {
			sink = append(sink, make([]byte, 1<<20))
		}
		sink = nil
		time.Sleep(3 * restLook) // by the clock of the test
		synctest.Wait()
		if after := held(); after > before+garbage/8 {
			t.Errorf("Go holds %d MB at rest, and %d before the work", after>>20, before>>20)
		}
	})
}

// sink is what the work of a test holds until it ends.
var sink [][]byte

// held returns the bytes of the heap that the system has not got back.
func held() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapSys - m.HeapReleased
}
