//go:build linux

package unblocking

import (
	"net"
	"runtime"
	"testing"
	"time"
)

// inVain has a vigil end in vain.
func inVain(t *testing.T, v *Vigil) {
	t.Helper()
	v.Prepare()
	if !v.GoesOn() {
		t.Fatal("no vigil is kept")
	}
	time.Sleep(longestVigil)
	for v.GoesOn() {
		runtime.Gosched()
	}
	v.End()
}

func TestVigil(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // with one, none is kept
	var v, other Vigil
	if v.GoesOn() {
		t.Error("a vigil is kept that nobody asked for")
	}
	inVain(t, &v)
	for range rest {
		if v.Prepare(); v.GoesOn() {
			t.Fatalf("after one in vain, a vigil is kept before %d are not", rest)
		}
		v.End()
	}
	v.Prepare()
	other.Prepare()
	if !v.GoesOn() || other.GoesOn() {
		t.Error("not one is kept, but none or two")
	}
	other.End()
	v.End() // bytes have come
	if other.Prepare(); !other.GoesOn() {
		t.Error("no vigil is kept when the other one has ended")
	}
	other.End()
	if v.GoesOn() {
		t.Error("a vigil is kept twice")
	}
}

// What comes in a vigil and what comes behind it is read.
func TestReaderWithVigil(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	r := NewReader(Raw(server))
	for _, after := range []time.Duration{0, longestVigil / 4, 20 * longestVigil} {
		r.rests = 0
		r.Prepare()
		time.AfterFunc(after, func() { _, _ = client.Write([]byte("x")) })
		if n, err := r.Read(make([]byte, 4)); n != 1 || err != nil {
			t.Errorf("%v after: %d bytes, %v", after, n, err)
		}
		if kept.Load() {
			t.Errorf("%v after: the vigil goes on behind the reading", after)
		}
	}
}
