// Package budget bounds the memory of clients' requests and answers. Requests count from their first byte on, while
// they arrive, are inflated, are decoded, wait and run. Answers count until they are sent. Triton's queues are
// unbounded where max_queue_size is 0, and the system ends a server that runs out of memory. Conch refuses the
// request that exceeds the limit, as a full queue does.
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

// Budget is the memory that all requests and answers of a process share. A nil Budget has no bound.
type Budget struct {
	limit int64 // bytes; 0 for none
	used  atomic.Int64

	peak   atomic.Int64 // the highest since calm was last called
	armed  atomic.Bool  // a timer will check whether to call it
	recent atomic.Int64 // the highest since that timer was set
	// calm is called when much memory has been free for a second.
	calm func()
}

// Of returns a budget of this many bytes. 0 stands for half of the memory that this process may use; a negative
// number sets no bound.
func Of(bytes int64) *Budget {
	switch {
	case bytes == 0:
		bytes = ProcessMemory() / 2
	case bytes < 0:
		bytes = 0
	}
	return &Budget{limit: bytes}
}

// someMemory is the assumed memory of a machine that does not report its size.
const someMemory = 8 << 30

// ProcessMemory returns the maximum memory of this process, in bytes.
func ProcessMemory() int64 {
	if limit, known := memory.Limit(); known {
		return limit
	}
	return someMemory
}

// Limit returns the maximum of all accounts together; 0 means no limit.
func (b *Budget) Limit() int64 {
	if b == nil {
		return 0
	}
	return b.limit
}

// Used returns how much all accounts hold.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load()
}

// Open returns an empty account.
func (b *Budget) Open() Account { return Account{budget: b} }

// Account is the memory of one request. The zero value has no bound.
type Account struct {
	budget *Budget
	held   int64
}

// Grow adds bytes before they are taken, or returns why they may not be taken.
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

// Force adds bytes without checking the limit. It is for short needs of a request that was already accepted.
func (a *Account) Force(bytes int64) {
	if a.budget == nil {
		return
	}
	a.held += bytes
	a.budget.rise(a.budget.used.Add(bytes))
}

// Fits returns an error if the account could not grow by this many bytes even without other
// accounts.
func (a *Account) Fits(bytes int64) error {
	if b := a.budget; b != nil && b.limit > 0 && a.held+bytes > b.limit {
		return b.refusal(a.held, bytes, 0)
	}
	return nil
}

// Held returns how much the account holds.
func (a *Account) Held() int64 { return a.held }

// Give returns bytes to the budget, at most all that the account holds.
func (a *Account) Give(bytes int64) {
	bytes = min(bytes, a.held)
	if a.budget == nil || bytes <= 0 {
		return
	}
	a.held -= bytes
	a.budget.fall(a.budget.used.Add(-bytes))
}

// Close returns everything to the budget.
func (a *Account) Close() { a.Give(a.held) }

// Split moves bytes to a new account.
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
		Message: "Exceeds maximum queue size: the requests and answers inside hold " + mebibytes(others) + " of the " + mebibytes(b.limit) +
			" limit; send fewer at a time, or raise --request-memory-limit",
	}
}

func mebibytes(n int64) string { return strconv.FormatInt(n>>20, 10) + " MiB" }

const (
	// muchMemory is the smallest peak after which a garbage collection is worth its cost.
	muchMemory = 32 << 20
	// calmAfter is how long the use must be low before the collection.
	calmAfter = time.Second
)

// OnCalm sets a function that is called when much of the memory has been free for a second. Call it before the
// budget is used.
func (b *Budget) OnCalm(f func()) { b.calm = f }

func (b *Budget) rise(now int64) {
	raise(&b.peak, now)
	if b.armed.Load() {
		raise(&b.recent, now)
	}
}

// raise makes a number at least as high as another.
func raise(n *atomic.Int64, now int64) {
	for {
		highest := n.Load()
		if now <= highest || n.CompareAndSwap(highest, now) {
			return
		}
	}
}

func (b *Budget) fall(now int64) {
	if peak := b.peak.Load(); b.calm != nil && peak >= muchMemory && now < peak/2 && b.armed.CompareAndSwap(false, true) {
		b.watch(now)
	}
}

// watch looks in a second whether the use has been low all the time. Clients with few large requests use much and nothing in turns:
// to free their memory in between would make each of them take it again.
func (b *Budget) watch(now int64) {
	b.recent.Store(now)
	time.AfterFunc(calmAfter, b.settle)
}

func (b *Budget) settle() {
	now, recent, peak := b.used.Load(), b.recent.Load(), b.peak.Load()
	switch {
	case now >= peak/2:
		b.armed.Store(false) // the next Give checks again
	case recent >= peak/2:
		b.watch(now)
	default:
		b.armed.Store(false)
		b.peak.Store(max(now, recent))
		b.calm()
	}
}
