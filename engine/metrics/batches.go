package metrics

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"conch/engine/infer"
)

// batchSizes counts executions by their size. There are few sizes, and all are known after the
// first seconds.
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

// Batch is the total cost of the executions of one size.
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
	slices.SortFunc(list, bySize)
	return list
}

func bySize(a, b Batch) int { return cmp.Compare(a.Size, b.Size) }

// mergeBatches adds up two lists; neither is changed.
func mergeBatches(a, b []Batch) []Batch {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	var out []Batch
	for _, each := range slices.SortedFunc(slices.Values(slices.Concat(a, b)), bySize) {
		if last := len(out) - 1; last >= 0 && out[last].Size == each.Size {
			out[last].Count += each.Count
			out[last].InputNs += each.InputNs
			out[last].InferNs += each.InferNs
			out[last].OutputNs += each.OutputNs
			continue
		}
		out = append(out, each)
	}
	return out
}
