// Package answers keeps, in memory, the output tensors that are too large to be sent to the window
// whole, and reads parts of them. Only the newest ones are kept. All methods may be called from any
// goroutine.
package answers

import (
	"errors"
	"slices"
	"sync"
)

// Inline is how many bytes of a tensor are sent to the window whole.
const Inline = 1 << 20

// most is how many bytes of tensors are kept. The newest tensor is kept whatever its size.
const most = 512 << 20

// ErrGone is returned for a tensor that is no longer kept.
var ErrGone = errors.New("this tensor is no longer kept: Conch keeps only the newest large outputs. Send the request again")

// Owner says whose answer a tensor belongs to.
type Owner struct{ Repository, Model string }

// Kept holds tensors. The zero value holds none.
type Kept struct {
	mu      sync.Mutex // guards what follows
	last    uint64
	tensors []*Tensor // the oldest first
	bytes   int
}

// Begin drops what is kept of the owner's last request, and of other repositories.
func (k *Kept) Begin(owner Owner) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop(func(t *Tensor) bool { return t.owner == owner || t.owner.Repository != owner.Repository })
}

// Keep keeps a tensor and returns it. Its source is never 0.
func (k *Kept) Keep(owner Owner, datatype string, raw []byte) *Tensor {
	t := newTensor(owner, datatype, raw)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last++
	t.Source = k.last
	k.tensors, k.bytes = append(k.tensors, t), k.bytes+len(raw)
	over := k.bytes - most
	k.drop(func(old *Tensor) bool {
		gone := over > 0 && old != t
		if gone {
			over -= len(old.raw)
		}
		return gone
	})
	return t
}

// drop removes tensors. mu is held.
func (k *Kept) drop(gone func(*Tensor) bool) {
	k.tensors = slices.DeleteFunc(k.tensors, func(t *Tensor) bool {
		if !gone(t) {
			return false
		}
		k.bytes -= len(t.raw)
		return true
	})
}

// Find returns a kept tensor by its source.
func (k *Kept) Find(source uint64) (*Tensor, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.tensors {
		if t.Source == source {
			return t, nil
		}
	}
	return nil, ErrGone
}
