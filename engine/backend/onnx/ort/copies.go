package ort

import "sync"

// keptCopy is the size of the largest copy of an input that a runner keeps for its next run.
const keptCopy = 16 << 20

// largeCopies keeps the memory of larger copies between runs. A model that runs often uses it again, and the garbage
// collector frees the rest.
var largeCopies sync.Pool // of *[]byte

// copy returns a copy of input i's data, which is valid until Reset.
func (r *Runner) copy(i int, data []byte) []byte {
	if len(data) > keptCopy {
		kept, ok := largeCopies.Get().(*[]byte)
		if ok && cap(*kept) >= len(data) && cap(*kept) <= 2*len(data) { // any other is left to the collector
			r.copies[i] = *kept
		}
	}
	r.copies[i] = append(r.copies[i][:0], data...)
	return r.copies[i]
}

// lendCopies returns large copies to the pool for the next run.
func (r *Runner) lendCopies() {
	for i, c := range r.copies {
		if cap(c) > keptCopy {
			kept := c // only a large copy costs an allocation here
			largeCopies.Put(&kept)
			r.copies[i] = nil
		}
	}
}
