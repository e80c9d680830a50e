package cache

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// KeyOf returns the key of a request to one load of a model. load identifies the load. Two requests have the
// same key when they have the same requested outputs and equal inputs, in any order.
func KeyOf(load [2]uint64, r *infer.Request) Key {
	k := keyHash{Hash: sha256.New()}
	k.number(load[0])
	k.number(load[1])
	inputs := make([]*tensor.Tensor, len(r.Inputs))
	for i := range r.Inputs {
		inputs[i] = &r.Inputs[i]
	}
	slices.SortFunc(inputs, func(a, b *tensor.Tensor) int { return cmp.Compare(a.Name, b.Name) })
	k.number(uint64(len(inputs)))
	for _, t := range inputs {
		k.text([]byte(t.Name))
		k.number(uint64(t.Type))
		k.number(uint64(len(t.Shape)))
		for _, d := range t.Shape {
			k.number(uint64(d))
		}
		k.text(t.Data)
	}
	names := make([]string, len(r.Outputs))
	for i := range r.Outputs {
		names[i] = r.Outputs[i].Name
	}
	slices.Sort(names)
	for _, name := range names {
		k.text([]byte(name))
	}
	return Key(k.Sum(nil))
}

// keyHash writes values so that different sequences of values have different bytes.
type keyHash struct{ hash.Hash }

func (k keyHash) number(n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	k.Write(b[:])
}

func (k keyHash) text(b []byte) {
	k.number(uint64(len(b)))
	k.Write(b)
}
