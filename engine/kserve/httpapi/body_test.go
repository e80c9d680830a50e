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
	const size, runs = 4<<20 + 300, 50
	text := bytes.Repeat([]byte("1234"), size/4)
	read := func() {
		c, b := new(call), takeBuffer()
		defer b.giveBack()
		err := b.fill(body{Reader: bytes.NewReader(text), account: &c.account, hint: size, limit: 2 * size, renew: func() {}})
		if err != nil || !bytes.Equal(b.bytes, text) {
			t.Fatal("another body was read", err)
		}
	}
	read()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		read()
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / runs; each >= size { // the race detector has a pool lose a quarter
		t.Errorf("a body of %d bytes allocates %d bytes", size, each)
	}
}
