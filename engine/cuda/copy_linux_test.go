package cuda_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"conch/engine/cuda"
	"conch/engine/cuda/cudatest"
)

// Bytes are copied to addresses on a device, from them, and between them. They have arrived when the copy returns.
func TestCopies(t *testing.T) {
	d, a, b := driver(t), cudatest.Make(t, 64), cudatest.Make(t, 64)
	from, err := d.Open(a.Handle, 1)
	to, err2 := d.Open(b.Handle, 1)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if err := d.Write(1, from.Address(8), []byte("hello")); err != nil || string(a.Bytes(t)[8:13]) != "hello" {
		t.Errorf("%q, %v", a.Bytes(t)[:16], err)
	}
	if err := d.Copy(1, to.Address(3), from.Address(8), 5); err != nil || string(b.Bytes(t)[3:8]) != "hello" {
		t.Errorf("%q, %v", b.Bytes(t)[:16], err)
	}
	got := make([]byte, 4)
	if err := d.Read(1, got, to.Address(4)); err != nil || string(got) != "ello" {
		t.Errorf("%q, %v", got, err)
	}
	if err := errors.Join(d.Write(1, 0, nil), d.Read(1, nil, 0), d.Copy(1, 0, 0, 0)); err != nil {
		t.Errorf("copies of nothing: %v", err)
	}
	for what, err := range map[string]error{
		"copy to GPU 0: invalid argument":     d.Write(0, 8, got),
		"copy from GPU 0: invalid argument":   d.Read(0, got, 8),
		"copy within GPU 0: invalid argument": d.Copy(0, to.Address(0), 8, 4),
		"use GPU 7: invalid device ordinal":   d.Write(7, to.Address(0), got),
		"copy within GPU 1: invalid argument": d.Copy(1, to.Address(60), from.Address(0), 8),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), what) {
			t.Errorf("%v, want %q", err, what)
		}
	}
	if err := errors.Join(from.Close(), to.Close()); err != nil {
		t.Error(err)
	}
}

// A pool lends pieces again, frees those that nobody uses for others, and never exceeds its limit.
func TestPool(t *testing.T) {
	d := driver(t)
	opened := 0
	p := cuda.NewPool(300<<10, func() (*cuda.Driver, error) { opened++; return d, nil })
	if p.Take(1, 1000) != nil || p.Take(1, 400<<10) != nil || (*cuda.Pool)(nil).Take(1, 100<<10) != nil {
		t.Error("a piece was lent that is too small, too large, or of no pool")
	}
	first, second := p.Take(1, 100<<10), p.Take(1, 65<<10)
	if first == nil || second == nil || len(first.Bytes()) != 128<<10 || p.Take(1, 64<<10) != nil {
		t.Fatal("two pieces of 128 KB fit into 300 KB, and no third one")
	}
	if total, used := p.Sizes(); total != 300<<10 || used != 256<<10 {
		t.Errorf("%d of %d bytes are lent", used, total)
	}
	p.Give(first)
	if again := p.Take(1, 128<<10); again != first {
		t.Error("a piece that was given back is not lent again")
	}
	p.Give(first)
	p.Give(second)
	if large := p.Take(1, 200<<10); large == nil || len(large.Bytes()) != 256<<10 {
		t.Error("pieces that nobody uses are in the way of another")
	}
	if opened != 1 {
		t.Errorf("the driver was opened %d times", opened)
	}
	whole := cuda.NewPool(300<<10, func() (*cuda.Driver, error) { return d, nil })
	if piece := whole.Take(1, 260<<10); piece == nil || len(piece.Bytes()) != 300<<10 {
		t.Error("a piece that fits into the limit is not lent")
	}
}

// A piece that is there is lent at once, also while the driver makes another one.
func TestPoolWhileItPins(t *testing.T) {
	d := driver(t)
	p := cuda.NewPool(1<<20, func() (*cuda.Driver, error) { return d, nil })
	first := p.Take(1, 64<<10)
	if first == nil || !cuda.Alone(time.Second) {
		t.Fatal("no piece, or others use CUDA")
	}
	pinned, lent := make(chan *cuda.Pinned), make(chan *cuda.Pinned)
	go func() { pinned <- p.Take(1, 256<<10) }()
	for total, used := p.Sizes(); used != 320<<10; total, used = p.Sizes() { // the other one is on its way
		if total != 1<<20 {
			t.Fatalf("%d bytes", total)
		}
		runtime.Gosched()
	}
	go func() {
		p.Give(first)
		lent <- p.Take(1, 64<<10)
	}()
	select {
	case piece := <-lent:
		if piece != first {
			t.Error("another piece was lent")
		}
	case <-time.After(10 * time.Second):
		t.Error("a piece that is there is not lent")
	}
	cuda.Together()
	if piece := <-pinned; piece == nil {
		t.Error("the other one was not pinned")
	}
}

// Without a driver, or where it has none left, there is no memory, and nobody fails for it.
func TestPoolWithoutMemory(t *testing.T) {
	asked := 0
	p := cuda.NewPool(1<<20, func() (*cuda.Driver, error) { asked++; return nil, cuda.ErrAbsent })
	for range 2 {
		if p.Take(1, 100<<10) != nil {
			t.Error("there is memory without a driver")
		}
	}
	if asked != 1 {
		t.Errorf("a driver that is not there was asked for %d times", asked)
	}
	if total, used := p.Sizes(); total != 0 || used != 0 {
		t.Errorf("%d of %d bytes are lent", used, total)
	}
	t.Setenv("FAKE_CUDA_PINNED", "1000")
	d := driver(t)
	if cuda.NewPool(1<<20, func() (*cuda.Driver, error) { return d, nil }).Take(1, 100<<10) != nil {
		t.Error("memory that is not there was lent")
	}
}
