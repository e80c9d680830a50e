package python

import (
	"bytes"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/backend/python/wire"
)

// Segments that the engine has read go with the next message to the process, in one frame. Without a further message, they
// are told a little later.
func TestFreedSegmentsGoWithTheNextMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var alone [][]byte
		s := newSegments((*net.UnixConn)(nil), func(frame []byte) error {
			alone = append(alone, frame)
			return nil
		}, nil)
		for number := range uint32(3) {
			s.theirs[number+1] = &segment{number: number + 1, data: make([]byte, 1), taken: true}
		}
		s.Release(1)
		s.Release(2)
		if got := s.news(); !bytes.Equal(got, freedFrame(1, 2)) {
			t.Errorf("the next message takes along %x", got)
		}
		if got := s.news(); got != nil {
			t.Errorf("the message after it takes along %x", got)
		}
		time.Sleep(tellAfter)
		synctest.Wait()
		if len(alone) != 0 {
			t.Errorf("%d frames were sent alone", len(alone))
		}
		s.Release(3)
		time.Sleep(tellAfter)
		synctest.Wait()
		if len(alone) != 1 || !bytes.Equal(alone[0], freedFrame(3)) {
			t.Errorf("frames without a message: %x", alone)
		}
	})
}

func freedFrame(numbers ...uint32) []byte {
	return wire.Finish(wire.AppendNumbers(wire.Begin(nil, wire.Freed, 0), numbers...))
}
