package cache_test

import (
	"fmt"
	"sync"
	"testing"

	"conch/engine/cache"
	"conch/engine/infer"
	"conch/engine/tensor"
)

func input(name string, t tensor.DataType, shape ...int64) tensor.Tensor {
	return tensor.Tensor{Name: name, Type: t, Shape: shape, Data: []byte{1, 2, 3, 4, 5, 6, 7, 8}}
}

func TestKeys(t *testing.T) {
	a, b := input("A", tensor.FP32, 1, 2), input("B", tensor.FP32, 1, 2)
	same := cache.KeyOf([2]uint64{1}, &infer.Request{ID: "x", Inputs: []tensor.Tensor{a, b}})
	if got := cache.KeyOf([2]uint64{1}, &infer.Request{ID: "y", Inputs: []tensor.Tensor{b, a}, Priority: 3}); got != same {
		t.Error("order, ID or priority changed the key")
	}
	other := b
	other.Data = []byte{8, 7, 6, 5, 4, 3, 2, 1}
	for name, r := range map[string]*infer.Request{
		"shape":   {Inputs: []tensor.Tensor{a, input("B", tensor.FP32, 2, 1)}},
		"type":    {Inputs: []tensor.Tensor{a, input("B", tensor.Int32, 1, 2)}},
		"name":    {Inputs: []tensor.Tensor{a, input("C", tensor.FP32, 1, 2)}},
		"bytes":   {Inputs: []tensor.Tensor{a, other}},
		"count":   {Inputs: []tensor.Tensor{a}},
		"outputs": {Inputs: []tensor.Tensor{a, b}, Outputs: []infer.RequestedOutput{{Name: "O"}}},
	} {
		if cache.KeyOf([2]uint64{1}, r) == same {
			t.Errorf("another %s has the same key", name)
		}
	}
	for _, load := range [][2]uint64{{2}, {1, 1}} {
		if cache.KeyOf(load, &infer.Request{Inputs: []tensor.Tensor{a, b}}) == same {
			t.Errorf("load %v has the same key", load)
		}
	}
}

func key(n int) cache.Key { return cache.Key{byte(n), byte(n >> 8)} }

func response(outputs []tensor.Tensor) *infer.Response { return &infer.Response{Outputs: outputs} }

func TestLongestUnusedGoesFirst(t *testing.T) {
	output := []tensor.Tensor{input("O", tensor.FP32, 1, 2)}
	probe := cache.New(1 << 20)
	probe.Insert(key(0), response(output))
	c := cache.New(3 * probe.Numbers().Used)
	for i := range 3 {
		c.Insert(key(i), response(output))
	}
	if _, _, found := c.Lookup(key(0)); !found {
		t.Fatal("what fits was not kept")
	}
	if first, again := c.Insert(key(3), response(output)), c.Insert(key(3), response(output)); !first || again {
		t.Errorf("inserted %v, and again %v", first, again)
	}
	for i, want := range map[int]bool{0: true, 1: false, 2: true, 3: true} {
		if _, _, found := c.Lookup(key(i)); found != want {
			t.Errorf("entry %d: found %v, want %v", i, found, want)
		}
	}
	if n := c.Numbers(); n.Entries != 3 || n.Used != n.Limit || n.Evictions != 1 || n.Lookups != 5 || n.Hits != 4 || n.Misses != 1 {
		t.Errorf("numbers = %+v", n)
	}
}

func TestWhatNeverFits(t *testing.T) {
	c := cache.New(100)
	if c.Insert(key(1), response([]tensor.Tensor{{Name: "O", Data: make([]byte, 101)}})) {
		t.Error("it says that it was kept")
	}
	if n := c.Numbers(); n.Entries != 0 || n.Used != 0 || n.Evictions != 0 {
		t.Errorf("numbers = %+v", n)
	}
}

func TestEntriesAreCopies(t *testing.T) {
	c, output := cache.New(1<<20), []tensor.Tensor{input("O", tensor.FP32, 1, 2)}
	c.Insert(key(1), response(output))
	output[0].Data[0], output[0].Shape[0] = 99, 99
	got, _, _ := c.Lookup(key(1))
	if got[0].Data[0] != 1 || got[0].Shape[0] != 1 {
		t.Errorf("the cached tensor changed with the backend's memory: %+v", got[0])
	}
	got[0].Name = "changed"
	if again, _, _ := c.Lookup(key(1)); again[0].Name != "O" {
		t.Error("a reader changed the entry")
	}
}

func TestManyAtOnce(t *testing.T) {
	c := cache.New(20_000)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 500 {
				k := key((g * i) % 100)
				if _, _, found := c.Lookup(k); !found {
					c.Insert(k, response([]tensor.Tensor{{Name: fmt.Sprint(i), Data: make([]byte, i)}}))
				}
			}
		})
	}
	all.Wait()
	if n := c.Numbers(); n.Used > n.Limit || n.Used < 0 || n.Hits+n.Misses != n.Lookups {
		t.Errorf("numbers = %+v", n)
	}
}

// An answer that is larger than the cache is not copied first.
func TestTooLargeIsNotCopied(t *testing.T) {
	c := cache.New(1000)
	large := &infer.Response{Outputs: []tensor.Tensor{{Name: "OUT", Type: tensor.Uint8, Shape: tensor.Shape{1 << 20}, Data: make([]byte, 1<<20)}}}
	if n := testing.AllocsPerRun(10, func() { c.Insert(cache.Key{1}, large) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if n := c.Numbers(); n.Entries != 0 || n.Evictions != 0 {
		t.Errorf("%+v", n)
	}
}
