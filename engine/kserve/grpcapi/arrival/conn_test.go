package arrival

import (
	"bytes"
	"errors"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"conch/engine/budget"
)

// piecewise gives a text in pieces.
type piecewise struct {
	net.Conn
	text  []byte
	piece int
}

var errEnd = errors.New("the end")

func (p *piecewise) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, errEnd
	}
	n := copy(b[:min(len(b), p.piece)], p.text)
	p.text = p.text[n:]
	return n, nil
}

func (p *piecewise) Close() error { return nil }

// Any input, in pieces of any size, is passed on unchanged, and the counted memory is freed.
func FuzzConn(f *testing.F) {
	var b bytes.Buffer
	framer := http2.NewFramer(&b, nil)
	b.WriteString(http2.ClientPreface)
	for _, err := range []error{
		framer.WriteSettings(),
		framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("head"), EndHeaders: true}),
		framer.WriteData(1, false, []byte("\x00\x00\x00\x00\x03abc\x00\x00\x00")),
		framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: []byte("he")}),
		framer.WriteContinuation(3, true, []byte("ad")),
		framer.WriteDataPadded(3, false, []byte("\x00\x00\x00\x00\x00"), make([]byte, 3)),
		framer.WriteData(1, true, []byte("\x09too long")),
	} {
		if err != nil {
			f.Fatal(err)
		}
	}
	f.Add(b.Bytes(), 1, 32<<10)
	f.Add(b.Bytes(), 100, 7)
	f.Add(b.Bytes(), 1000, 1000)
	f.Fuzz(func(t *testing.T, text []byte, piece, room int) {
		if piece <= 0 || room <= 0 || room > 1<<16 {
			return
		}
		memory := budget.Of(1 << 20)
		g := &Gate{Options{Memory: memory, Patience: time.Hour}}
		c := newConn(g, &piecewise{text: text, piece: piece})
		var got []byte
		var known uint32
		for buffer := make([]byte, room); ; {
			n, err := c.Read(buffer)
			got = append(got, buffer[:n]...)
			if c.current > known { // as gRPC's tap does when it has read a header; it refuses an ID that is not higher
				known = c.current
				c.add(&Call{conn: c, id: known, account: memory.Open(), most: 1 << 10})
			}
			if err != nil {
				if !errors.Is(err, errEnd) {
					t.Fatal(err)
				}
				break
			}
			if n == 0 && len(text) > 0 && len(got) < len(text) {
				t.Fatal("nothing was handed on")
			}
		}
		if !bytes.Equal(got, text) {
			t.Fatalf("%q was handed on of %q", got, text)
		}
		_ = c.Close()
		c.sweep()
		if memory.Used() != 0 {
			t.Fatalf("%d bytes are held at the end", memory.Used())
		}
	})
}

// Frames of two calls that come in one piece are counted for their own call each.
func TestFramesOfTwoCalls(t *testing.T) {
	var b bytes.Buffer
	framer := http2.NewFramer(&b, nil)
	b.WriteString(http2.ClientPreface)
	for _, id := range []uint32{1, 3} {
		if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte("x"), EndHeaders: true}); err != nil {
			t.Fatal(err)
		}
		message := append([]byte{0, 0, 0, 0, byte(id)}, make([]byte, id)...)
		if err := framer.WriteData(id, true, message); err != nil {
			t.Fatal(err)
		}
	}
	memory := budget.Of(1 << 20)
	c := newConn(&Gate{Options{Memory: memory, Patience: time.Hour}}, &piecewise{text: b.Bytes(), piece: 1 << 20})
	calls := map[uint32]*Call{}
	for buffer := make([]byte, 1<<10); ; {
		_, err := c.Read(buffer)
		if id := c.current; id != 0 && calls[id] == nil {
			calls[id] = &Call{conn: c, id: id, account: memory.Open()}
			c.add(calls[id])
		}
		if err != nil {
			break
		}
	}
	for id, call := range calls {
		if a := call.Take(); a.Held() != messagePrefix+int64(id) {
			t.Errorf("call %d holds %d", id, a.Held())
		} else {
			a.Close()
		}
		call.End()
	}
	if len(calls) != 2 || memory.Used() != 0 || len(c.calls) != 0 {
		t.Errorf("%d calls, %d bytes, %d are left", len(calls), memory.Used(), len(c.calls))
	}
	_ = c.Close()
}
