package shortcut

// Hesitation is how long the rest of a message is waited for.
const Hesitation = hesitation

// Known returns how many models the road knows.
func (r *Road) Known() int {
	r.pacesMu.RLock()
	defer r.pacesMu.RUnlock()
	return len(r.paces)
}

// Going returns how many answers are there, and how many of them their own windows let go.
func (r *Road) Going() (unsent, going int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		c.conn.mu.Lock()
		unsent += c.unsent
		going += len(c.waits)
		c.conn.mu.Unlock()
	}
	return unsent, going
}

// Unfreed returns how many parts of answers are lent and not written.
func (r *Road) Unfreed() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		c.conn.mu.Lock()
		n += c.unfreed
		c.conn.mu.Unlock()
	}
	return n
}

// Waiting returns how many bytes wait for gRPC's reader.
func (r *Road) Waiting() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		c.pipe.mu.Lock()
		n += len(c.pipe.data) - c.pipe.off
		c.pipe.mu.Unlock()
	}
	return n
}
