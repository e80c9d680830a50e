package httpapi

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"testing"
)

// A request with a tensor of some megabytes is read into memory of the request before it.
func TestLargeBodiesReuseMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector would empty the pool
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))  // a pool does not find what another processor has just given back
	const size, runs = 4<<20 + 300, 100
	text := bytes.Repeat([]byte("1234"), size/4)
	read := func() {
		c, b := new(call), takeBuffer()
		defer b.giveBack()
		err := b.fill(body{Reader: bytes.NewReader(text), account: &c.account, hint: size, limit: 2 * size, renew: func() {}})
		if err != nil || !bytes.Equal(b.bytes, text) {
			t.Fatal("another body was read", err)
		}
	}
	allocated := func() uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	read()
	reused := 0
	for range runs {
		if allocated() < size/8 {
			reused++
		}
	}
	if reused < runs/2 { // the race detector has a pool lose a quarter
		t.Errorf("%d of %d bodies of %d bytes were read into memory of those before them", reused, runs, size)
	}
}
