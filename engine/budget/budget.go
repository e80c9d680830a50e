// Package budget bounds the memory that clients can make the server hold: requests from their first byte on, as they arrive
// or are inflated and in the form in which they are read, while they wait and run, and answers until they are sent. Triton's
// queues are unbounded where max_queue_size is 0, and the system ends a server that runs out of memory; here the request
// that would be too much is turned away, as a full queue does.
//
// The package counts; it allocates nothing. Everything is safe for concurrent use, except that an Account has one user at a
// time.
package budget

import (
	"strconv"
	"sync/atomic"
	"time"

	"conch/engine/infer"
	"conch/engine/memory"
)

// Budget is what all requests and answers of a process share. A nil one has no bound.
type Budget struct {
	limit int64 // bytes; 0 for none
	used  atomic.Int64

	peak  atomic.Int64 // the highest since Calm was last called
	armed atomic.Bool  // a timer is about to look whether to call it
	// calm is called some seconds after much memory has become free.
	calm func()
}

// Of makes a budget of so many bytes: 0 takes half of the memory that this process may use, less than 0 sets no bound.
func Of(bytes int64) *Budget {
	switch {
	case bytes == 0:
		bytes = ProcessMemory() / 2
	case bytes < 0:
		bytes = 0
	}
	return &Budget{limit: bytes}
}

// someMemory is what a machine that does not tell is taken to have.
const someMemory = 8 << 30

// ProcessMemory is what this process may use at most, in bytes.
func ProcessMemory() int64 {
	if limit, known := memory.Limit(); known {
		return limit
	}
	return someMemory
}

// Limit is how much all may hold; 0 for any amount.
func (b *Budget) Limit() int64 {
	if b == nil {
		return 0
	}
	return b.limit
}

// Used is how much they hold.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load()
}

// Open gives an account that holds nothing yet.
func (b *Budget) Open() Account { return Account{budget: b} }

// Account is what one request holds. The zero value has no bound.
type Account struct {
	budget *Budget
	held   int64
}

// Grow adds bytes before they are taken, or says why they may not be.
func (a *Account) Grow(bytes int64) error {
	b := a.budget
	if b == nil || bytes <= 0 {
		return nil
	}
	now := b.used.Add(bytes)
	if b.limit > 0 && now > b.limit {
		b.used.Add(-bytes)
		return b.refusal(a.held, bytes, now-bytes)
	}
	a.held += bytes
	b.rise(now)
	return nil
}

// Force adds bytes that are taken whatever the limit is: what follows from a request that was let in, for a moment.
func (a *Account) Force(bytes int64) {
	if a.budget == nil {
		return
	}
	a.held += bytes
	a.budget.rise(a.budget.used.Add(bytes))
}

// Fits is an error when the account could not hold so many bytes more, were it alone.
func (a *Account) Fits(bytes int64) error {
	if b := a.budget; b != nil && b.limit > 0 && a.held+bytes > b.limit {
		return b.refusal(a.held, bytes, 0)
	}
	return nil
}

// Held is what the account holds.
func (a *Account) Held() int64 { return a.held }

// Give gives bytes back, at most all.
func (a *Account) Give(bytes int64) {
	bytes = min(bytes, a.held)
	if a.budget == nil || bytes <= 0 {
		return
	}
	a.held -= bytes
	a.budget.fall(a.budget.used.Add(-bytes))
}

// Close gives everything back.
func (a *Account) Close() { a.Give(a.held) }

// Split moves bytes into an account of their own.
func (a *Account) Split(bytes int64) Account {
	bytes = min(bytes, a.held)
	a.held -= bytes
	return Account{budget: a.budget, held: bytes}
}

func (b *Budget) refusal(held, more, others int64) error {
	if held+more > b.limit {
		return &infer.Error{
			Code: infer.InvalidArg, Fate: infer.TurnedAway,
			Message: "Request that needs at least " + strconv.FormatInt(held+more, 10) + " bytes of memory exceeds the " +
				strconv.FormatInt(b.limit, 10) + " bytes that all requests and answers may hold. " +
				"Use --request-memory-limit to increase the limit.",
		}
	}
	return &infer.Error{
		Code: infer.Unavailable, Fate: infer.TurnedAway,
		Message: "Exceeds maximum queue size: the requests and answers inside hold " + megabytes(others) + " of the " + megabytes(b.limit) +
			" that they may; send fewer at a time, or raise --request-memory-limit",
	}
}

func megabytes(n int64) string { return strconv.FormatInt(n>>20, 10) + " MB" }

const (
	// muchMemory is from how much on it is worth collecting what has become free.
	muchMemory = 32 << 20
	// calmAfter is how long little must have been held before that.
	calmAfter = time.Second
)

// OnCalm has f called a second after much of the memory has become free. It is called before the budget is used.
func (b *Budget) OnCalm(f func()) { b.calm = f }

func (b *Budget) rise(now int64) {
	for {
		peak := b.peak.Load()
		if now <= peak || b.peak.CompareAndSwap(peak, now) {
			return
		}
	}
}

func (b *Budget) fall(now int64) {
	if peak := b.peak.Load(); b.calm != nil && peak >= muchMemory && now < peak/2 && b.armed.CompareAndSwap(false, true) {
		time.AfterFunc(calmAfter, b.settle)
	}
}

func (b *Budget) settle() {
	b.armed.Store(false)
	now, peak := b.used.Load(), b.peak.Load()
	if now >= peak/2 {
		return // the next that gives back looks again
	}
	b.peak.Store(now)
	b.calm()
}
