package arrival

import (
	"sync"
	"time"

	"conch/engine/budget"
)

// Answer counts an answer that has not been sent yet. gRPC reports when it no longer needs an answer's memory, except
// when the connection ends before. The end of the connection counts then.
type Answer struct {
	conn    *conn
	mu      sync.Mutex // guards account
	account budget.Account
}

// Hold keeps the count of an answer until Sent is called or the call's connection ends.
func (c *Call) Hold(account budget.Account) *Answer {
	a := &Answer{account: account}
	if c != nil && c.conn != nil {
		a.conn = c.conn
		a.conn.mu.Lock()
		defer a.conn.mu.Unlock()
		if len(a.conn.answers) == 0 {
			a.conn.wrote = time.Now()
		}
		a.conn.answers[a] = struct{}{}
	}
	return a
}

// Sent ends the count. Only the first call counts.
func (a *Answer) Sent() {
	if a.conn != nil {
		a.conn.mu.Lock()
		delete(a.conn.answers, a)
		a.conn.mu.Unlock()
	}
	a.close()
}

func (a *Answer) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.account.Close()
}
