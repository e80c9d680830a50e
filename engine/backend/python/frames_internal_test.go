package python

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"conch/engine/backend/python/wire"
)

// givenUp is a connection whose reads are given up after each few bytes.
type givenUp struct {
	content []byte
	step    int
	next    bool // gives bytes
}

func (g *givenUp) Read(p []byte) (int, error) {
	g.next = !g.next
	if !g.next {
		return 0, os.ErrDeadlineExceeded
	}
	if len(g.content) == 0 {
		return 0, io.EOF
	}
	n := copy(p, g.content[:min(g.step, len(g.content))])
	g.content = g.content[n:]
	return n, nil
}

func TestFrameGoesOn(t *testing.T) {
	var content []byte
	var want [][]byte
	for _, size := range []int{0, 1, 100, readAhead, 3 * readAhead} {
		payload := bytes.Repeat([]byte{byte(size)}, size)
		want = append(want, payload)
		content = append(content, wire.Finish(append(wire.Begin(nil, wire.Executed, uint64(size)), payload...))...)
	}
	for _, step := range []int{1, 7, 1000, len(content)} {
		in := newFrames(&givenUp{content: slices.Clone(content), step: step})
		var got [][]byte
		for {
			h, payload, err := in.next()
			if errors.Is(err, os.ErrDeadlineExceeded) {
				continue
			}
			if err != nil {
				if err != io.EOF {
					t.Errorf("by %d bytes: %v", step, err)
				}
				break
			}
			if h.Kind != wire.Executed || h.ID != uint64(len(payload)) {
				t.Errorf("by %d bytes: %+v with %d bytes", step, h, len(payload))
			}
			got = append(got, payload)
		}
		if !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("by %d bytes: %d frames differ from %d", step, len(got), len(want))
		}
	}
}
