//go:build linux

package unblocking

import (
	"net"
	"runtime"
	"sync/atomic"
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

// connected returns both ends of a connection.
func connected(t *testing.T) (server, client net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = client.Close(), server.Close() })
	return server, client
}

// What comes in a vigil and what comes behind it is read.
func TestReaderWithVigil(t *testing.T) {
	server, client := connected(t)
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

// Who sleeps after a vigil in vain keeps nobody else from one.
func TestNoVigilIsKeptAsleep(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	server, client := connected(t)
	r, over := NewReader(Raw(server)), make(chan struct{})
	r.Prepare()
	go func() {
		defer close(over)
		_, _ = r.Read(make([]byte, 4))
	}()
	time.Sleep(10 * longestVigil)
	var other Vigil
	for other.Prepare(); !other.GoesOn(); other.Prepare() { // a busy machine may begin later
		other.End()
		time.Sleep(longestVigil)
	}
	other.End()
	select {
	case <-over:
		t.Error("the reader does not sleep")
	default:
	}
	_, _ = client.Write([]byte("x"))
	<-over
}

// After many vigils in a row, a reader sleeps once.
func TestVigilsInARow(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var v Vigil
	for i := range 3 * (mostInRow + 1) {
		if due := v.Prepare(); due == (i%(mostInRow+1) == mostInRow) {
			t.Fatalf("vigil %d is kept: %t", i, due)
		}
	}
}

// A reader that always finds bytes lets other goroutines run.
func TestReaderGivesTurns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	server, client := connected(t)
	const many = 20 * mostTurns
	if _, err := client.Write(make([]byte, many)); err != nil {
		t.Fatal(err)
	}
	r, b := NewReader(Raw(server)), make([]byte, 1)
	_, _ = r.Read(b) // all has come
	var ran atomic.Bool
	go func() { ran.Store(true) }()
	reads := 0
	for ; reads < many-1 && !ran.Load(); reads++ {
		if _, err := r.Read(b); err != nil {
			t.Fatal(err)
		}
	}
	if reads > 2*mostTurns {
		t.Errorf("another goroutine ran after %d of %d readings", reads, many)
	}
}
