//go:build !linux

package python

import (
	"net"

	"conch/engine/backend/python/wire"
	"conch/engine/budget"
)

// longestAhead is the length of a batch's message that waits in the process's connection: that takes 8 KiB in all.
const longestAhead = 2 << 10

func staysInline(int, int) bool { return true }

// segments are no shared memory: without memfd all tensors are a part of their messages.
type segments struct{ conn *net.UnixConn }

func newSegments(conn *net.UnixConn, _ func(frame []byte) error, _ *budget.Budget) *segments {
	return &segments{conn}
}

func (s *segments) place(int) (wire.Placing, func()) { return wire.Inline{}, func() {} }

func (s *segments) freed(...uint32) {}

func (s *segments) Take(uint32) ([]byte, bool) { return nil, false }

func (s *segments) Count(uint32, uint64) error { return nil }

func (s *segments) Release(uint32) {}

func (s *segments) news() []byte { return nil }

func (s *segments) dropped(...uint32) {}

func (s *segments) close() { _ = s.conn.Close() }

func (p *process) memory() (uint64, bool) { return 0, false }
