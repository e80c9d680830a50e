//go:build linux

package unblocking

import (
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// spinOut has a spin end without bytes.
func spinOut(t *testing.T, s *Spin) {
	t.Helper()
	s.Prepare()
	if !s.Again() {
		t.Fatal("it does not spin")
	}
	time.Sleep(longestSpin)
	for s.Again() {
		runtime.Gosched()
	}
	s.End()
}

func TestSpin(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // with one, nobody spins
	var s, other Spin
	if s.Again() {
		t.Error("it spins, and nobody asked for it")
	}
	spinOut(t, &s)
	for range skipped {
		if s.Prepare(); s.Again() {
			t.Fatalf("after a spin without bytes, fewer than %d are left out", skipped)
		}
		s.End()
	}
	s.Prepare()
	other.Prepare()
	if !s.Again() || other.Again() {
		t.Error("not one reader spins, but none or two")
	}
	other.End()
	s.End() // bytes have come
	if other.Prepare(); !other.Again() {
		t.Error("it does not spin when the other one has ended")
	}
	other.End()
	if s.Again() {
		t.Error("it spins once more")
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

// What comes while a reader spins is read, and what comes later too.
func TestReaderThatSpins(t *testing.T) {
	server, client := connected(t)
	r := NewReader(Raw(server))
	for _, after := range []time.Duration{0, longestSpin / 4, 20 * longestSpin} {
		r.skip = 0
		r.Prepare()
		time.AfterFunc(after, func() { _, _ = client.Write([]byte("x")) })
		if n, err := r.Read(make([]byte, 4)); n != 1 || err != nil {
			t.Errorf("%v after: %d bytes, %v", after, n, err)
		}
		if spinning.Load() {
			t.Errorf("%v after: it spins on behind the reading", after)
		}
	}
}

// A reader that sleeps after a spin keeps no other from spinning.
func TestNobodySpinsAsleep(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	server, client := connected(t)
	r, over := NewReader(Raw(server)), make(chan struct{})
	r.Prepare()
	go func() {
		defer close(over)
		_, _ = r.Read(make([]byte, 4))
	}()
	time.Sleep(10 * longestSpin)
	var other Spin
	for other.Prepare(); !other.Again(); other.Prepare() { // a busy machine may begin later
		other.End()
		time.Sleep(longestSpin)
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

// After many spins in a row, a reader sleeps once.
func TestSpinsInARow(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var s Spin
	for i := range 3 * (mostInRow + 1) {
		if due := s.Prepare(); due == (i%(mostInRow+1) == mostInRow) {
			t.Fatalf("spin %d is due: %t", i, due)
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
	if reads > many/2 { // without a turn for others it reads all
		t.Errorf("another goroutine ran after %d of %d readings", reads, many)
	}
}
