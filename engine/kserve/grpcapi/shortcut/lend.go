package shortcut

import "google.golang.org/grpc/mem"

// leastLent is the smallest part of an answer that is worth a place of its own in a write.
const leastLent = 4 << 10

// lent is a part of an answer that is written from the answer's own memory.
type lent struct {
	behind int // how much of out goes before it
	text   []byte
	of     mem.Buffer // whose memory it lies in; it has a reference for this part
}

// lending is what out lacks of the answers: large parts of them are not copied. The writer's lock guards it.
type lending struct {
	parts    []lent // in their order
	spares   []lent // memory for parts
	borrowed int    // bytes of parts
	unfreed  int    // parts that are not written, with those that are being written
}

// lends reports whether parts of answers need not be copied. TLS copies them anyway, and wants few writes.
func (c *Conn) lends() bool { return c.conn.socket.vector != nil }

// due is how much waits to be written.
func (w *writer) due() int { return len(w.out) + w.borrowed }

// holdsAnswers reports whether there is memory of answers that is not written.
func (w *writer) holdsAnswers() bool { return w.unsent+w.unfreed > 0 }

// body moves the next n bytes of an answer to out, or lends them.
func (w *writer) body(k *call, n int) {
	at := k.sent - prefix
	k.sent += n
	for _, b := range k.answer {
		text := b.ReadOnlyData()
		if at >= len(text) {
			at -= len(text)
			continue
		}
		m := min(n, len(text)-at)
		if w.conn.lends() && m >= leastLent {
			w.lend(b, text[at:at+m])
		} else {
			w.out = append(w.out, text[at:at+m]...)
		}
		if n -= m; n == 0 {
			return
		}
		at = 0
	}
}

func (w *writer) lend(b mem.Buffer, text []byte) {
	b.Ref()
	w.parts = append(w.parts, lent{len(w.out), text, b})
	w.borrowed += len(text)
	w.unfreed++
}

// hand gives the parts to who writes or frees them.
func (w *writer) hand() []lent {
	parts := w.parts
	w.parts, w.spares, w.borrowed = w.spares, nil, 0
	return parts
}

// takeBack frees parts.
func (w *writer) takeBack(parts []lent) {
	for _, p := range parts {
		p.of.Free()
	}
	w.unfreed -= len(parts)
	clear(parts)
	w.spares = parts[:0]
}
