// Package answers keeps, in memory, the output tensors that are too large to be sent to the window
// whole, and reads parts of them. Only the newest ones are kept. All methods may be called from any
// goroutine.
package answers

import (
	"cmp"
	"errors"
	"slices"
	"sync"
)

// Inline is how many bytes of a tensor are sent to the window whole.
const Inline = 1 << 20

// most is how much memory the kept tensors may take together. The newest tensor is kept whatever its
// size.
var most = 512 << 20

// overhead is the memory that a kept tensor takes besides its bytes and its index: the Tensor, its
// place in the list, and what the allocator rounds up.
const overhead = 256

// ErrGone is returned for a tensor that is no longer kept.
var ErrGone = errors.New("this tensor is no longer kept: Conch keeps only the newest large outputs. Send the request again")

// Owner says whose answer a tensor belongs to.
type Owner struct{ Repository, Model string }

// Kept holds tensors. The zero value holds none.
type Kept struct {
	mu      sync.Mutex // guards what follows
	last    uint64
	tensors []*Tensor // the oldest first, so their sources ascend
	bytes   int       // what they take together
}

// Begin drops what is kept of the owner's last request, and of other repositories.
func (k *Kept) Begin(owner Owner) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tensors = slices.DeleteFunc(k.tensors, func(t *Tensor) bool {
		gone := t.owner == owner || t.owner.Repository != owner.Repository
		if gone {
			k.bytes -= t.takes()
		}
		return gone
	})
}

// Keep keeps a tensor and returns it. Its source is never 0. The oldest tensors go when all together
// take too much memory.
func (k *Kept) Keep(owner Owner, datatype string, raw []byte) *Tensor {
	t := newTensor(owner, datatype, raw)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last++
	t.Source = k.last
	k.tensors, k.bytes = append(k.tensors, t), k.bytes+t.takes()
	for k.bytes > most && len(k.tensors) > 1 {
		k.bytes -= k.tensors[0].takes()
		k.tensors[0] = nil // the array below the slice must not keep it
		k.tensors = k.tensors[1:]
	}
	return t
}

// Find returns a kept tensor by its source.
func (k *Kept) Find(source uint64) (*Tensor, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i, ok := slices.BinarySearchFunc(k.tensors, source, func(t *Tensor, source uint64) int { return cmp.Compare(t.Source, source) })
	if !ok {
		return nil, ErrGone
	}
	return k.tensors[i], nil
}
