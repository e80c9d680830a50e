package shortcut

import "sync"

// pipeRoom is how much of a connection waits for gRPC's reader before the reading stops.
const pipeRoom = 256 << 10

// pipe is what gRPC's server reads.
type pipe struct {
	mu   sync.Mutex // guards what follows
	more sync.Cond  // data or err has come
	room sync.Cond  // data has gone, or err has come
	data []byte
	off  int
	err  error
}

func (p *pipe) init() { p.more.L, p.room.L = &p.mu, &p.mu }

// Read waits for bytes.
func (p *pipe) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.off == len(p.data) && p.err == nil {
		p.more.Wait()
	}
	if p.off == len(p.data) {
		return 0, p.err
	}
	n := copy(b, p.data[p.off:])
	if p.off += n; p.off == len(p.data) {
		p.data, p.off = p.data[:0], 0
		if cap(p.data) > largestFrame {
			p.data = nil // a connection that rests holds no buffer
		}
		p.room.Signal()
	}
	return n, nil
}

// put adds bytes. It does not wait.
func (p *pipe) put(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.data = append(p.data, b...)
		p.more.Signal()
	}
}

// await waits until much more can be put.
func (p *pipe) await() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.data) > pipeRoom && p.err == nil {
		p.room.Wait()
	}
}

// close ends the pipe behind what was put.
func (p *pipe) close(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
		p.more.Broadcast()
		p.room.Broadcast()
	}
}
