package metrics

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"conch/engine/infer"
)

// batchSizes counts executions by their size. Sizes are few, and known after the first seconds.
type batchSizes struct {
	sizes sync.Map // int64 -> *batchSize
}

type batchSize struct {
	count, inputNs, inferNs, outputNs atomic.Uint64
}

func (b *batchSizes) add(size int64, t infer.Timings) {
	found, ok := b.sizes.Load(size)
	if !ok {
		found, _ = b.sizes.LoadOrStore(size, &batchSize{})
	}
	s := found.(*batchSize)
	s.inputNs.Add(uint64(t.Input))
	s.inferNs.Add(uint64(t.Infer))
	s.outputNs.Add(uint64(t.Output))
	s.count.Add(1)
}

// Batch is what executions of one size cost in all.
type Batch struct {
	Size                       int64
	Count                      uint64
	InputNs, InferNs, OutputNs uint64
}

func (b *batchSizes) snapshot() []Batch {
	var list []Batch
	b.sizes.Range(func(size, found any) bool {
		s := found.(*batchSize)
		list = append(list, Batch{
			Size: size.(int64), Count: s.count.Load(),
			InputNs: s.inputNs.Load(), InferNs: s.inferNs.Load(), OutputNs: s.outputNs.Load(),
		})
		return true
	})
	slices.SortFunc(list, func(a, b Batch) int { return cmp.Compare(a.Size, b.Size) })
	return list
}
