package python

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"conch/engine/backend/python/wire"
	"conch/engine/budget"
)

const (
	// inlineLimit is the size of a message's tensors from which they lie in shared memory. Below it, a copy through the socket
	// is faster than what shared memory costs.
	inlineLimit = 64 << 10
	// smallTensor is the size of a tensor that stays in the message beside large ones.
	smallTensor = 4 << 10
	// keptBytes is how much unused shared memory an instance keeps for the next request.
	keptBytes = 64 << 20
	// idleAfter is when an instance that gets no large tensors gives its unused shared memory back.
	idleAfter = 5 * time.Second
	// mostSegments and mostMapped bound the memory of a process that the engine has mapped: the system lets no program have more than
	// 65,530 pieces by default, nor more than 128 TB, and without a further one the engine could not go on. A process that
	// answers a thousand clients at once with 16 large responses each needs no more.
	mostSegments = 16 << 10
	mostMapped   = 4 << 40
	// descriptorPatience is how long descriptors may take that were sent before the message which needs them.
	descriptorPatience = 5 * time.Second
	// announcement is the message with which a descriptor is sent: u32 number, u32 zero, u64 size.
	announcement = 16
	// tellAfter is when a process hears that it can use a segment of its own again, where no other message to it comes before.
	tellAfter = 20 * time.Millisecond
	// placement is the alignment of tensors in a segment.
	placement = 64
	// longestAhead is the length of a batch's message that waits in the process's connection: that takes two of them, and others.
	longestAhead = 64<<10 + 8<<10
)

// segment is shared memory without a name: nothing of it is left when both sides have ended.
type segment struct {
	number uint32
	data   []byte
	taken  bool // a message uses it; of theirs, one answer or call
	filled bool // the engine writes to it
	gone   bool // to be unmapped when no message uses it
	copies budget.Account
}

// segments are the shared memory of one process: ours hold what the engine sends, theirs what it gets. A segment holds the
// tensors of one message, until the side that reads them says that it needs them no more.
type segments struct {
	conn *net.UnixConn // sends and receives descriptors
	send func(frame []byte) error
	// copies counts what is copied out of theirs; nil has no bound.
	copies *budget.Budget

	mu     sync.Mutex // guards what follows
	last   uint32
	ours   map[uint32]*segment
	theirs map[uint32]*segment
	mapped uint64 // bytes of theirs
	closed bool
	idle   *time.Timer
	free   []uint32 // theirs that the engine has read, and the process does not know it yet
	size   int      // of these
	tell   *time.Timer
}

func newSegments(conn *net.UnixConn, send func(frame []byte) error, copies *budget.Budget) *segments {
	return &segments{conn: conn, send: send, copies: copies, ours: map[uint32]*segment{}, theirs: map[uint32]*segment{}}
}

// place returns the placing of the tensors of a message. The function is called when the message has been sent, or could not be.
func (s *segments) place(total int) (wire.Placing, func()) {
	if total < inlineLimit {
		return wire.Inline{}, func() {}
	}
	p := &placing{of: s, total: total}
	return p, p.sent
}

// staysInline reports whether a tensor stays in its message, whose tensors have so many bytes in all.
func staysInline(total, size int) bool { return total < inlineLimit || size < smallTensor }

// placing puts tensors into a segment. It takes the segment for the first of them: one that the message does not name never comes back.
type placing struct {
	of    *segments
	total int      // bytes of the message's tensors; 0 when the segment was taken, or could not be
	seg   *segment // nil for none
	at    int
}

// Place copies a tensor into the segment, unless it is small.
func (p *placing) Place(data []byte) (number uint32, offset uint64) {
	if len(data) < smallTensor || !p.open() || p.at+len(data) > len(p.seg.data) {
		return 0, 0
	}
	at := p.at
	copy(p.seg.data[at:], data)
	p.at += (len(data) + placement - 1) &^ (placement - 1)
	return p.seg.number, uint64(at)
}

// open takes the segment. Without one the message is sent as a whole.
func (p *placing) open() bool {
	if p.total > 0 {
		p.seg, _ = p.of.take(p.total)
		p.total = 0
	}
	return p.seg != nil
}

// sent notes that the engine writes to the segment no more.
func (p *placing) sent() {
	if p.seg == nil {
		return
	}
	s := p.of
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.seg.filled = false; s.closed {
		delete(s.ours, p.seg.number)
		_ = unix.Munmap(p.seg.data)
	}
}

// take returns a segment of ours for a message.
func (s *segments) take(size int) (*segment, error) {
	size += placement * 64 // for the alignment of as many tensors; what does not fit stays in the message
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, os.ErrClosed
	}
	var best *segment
	for _, seg := range s.ours {
		if !seg.taken && len(seg.data) >= size && (best == nil || len(seg.data) < len(best.data)) {
			best = seg
		}
	}
	if best == nil {
		var err error
		if best, err = s.make(1 << bits.Len(uint(size-1))); err != nil {
			return nil, err
		}
	}
	best.taken, best.filled = true, true
	s.lookLater()
	return best, nil
}

// make makes a segment and sends its descriptor. Pages that are never written take no memory. The process cannot make it shorter:
// writing behind its end would end the engine.
func (s *segments) make(size int) (*segment, error) {
	fd, err := unix.MemfdCreate("conch-python", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("make shared memory: %w", err)
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		return nil, fmt.Errorf("make shared memory of %d bytes: %w", size, err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL); err != nil {
		return nil, fmt.Errorf("keep the size of shared memory: %w", err)
	}
	data, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map shared memory of %d bytes: %w", size, err)
	}
	s.last++
	text := make([]byte, 0, announcement)
	text = binary.LittleEndian.AppendUint32(text, s.last)
	text = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(text, 0), uint64(size))
	if _, _, err := s.conn.WriteMsgUnix(text, unix.UnixRights(fd), nil); err != nil {
		_ = unix.Munmap(data)
		return nil, fmt.Errorf("send shared memory: %w", err)
	}
	seg := &segment{number: s.last, data: data}
	s.ours[seg.number] = seg
	return seg, nil
}

// freed takes segments of ours back.
func (s *segments) freed(numbers ...uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, number := range numbers {
		if seg := s.ours[number]; seg != nil {
			seg.taken = false
		}
	}
	if kept := s.unused(); kept > keptBytes {
		s.trim(false)
	}
}

func (s *segments) unused() (size int) {
	for _, seg := range s.ours {
		if !seg.taken {
			size += len(seg.data)
		}
	}
	return size
}

// lookLater gives memory back when no large message was sent for a while. The caller holds s.mu.
func (s *segments) lookLater() {
	if s.idle == nil {
		s.idle = time.AfterFunc(idleAfter, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if !s.closed {
				s.trim(true)
			}
		})
		return
	}
	s.idle.Reset(idleAfter)
}

// trim unmaps unused segments of ours, and has the process do the same with both. The caller holds s.mu.
func (s *segments) trim(all bool) {
	frame := wire.Begin(nil, wire.Forget, 0)
	kept := s.unused()
	for number, seg := range s.ours {
		if !seg.taken && (all || kept > keptBytes) {
			kept -= len(seg.data)
			delete(s.ours, number)
			_ = unix.Munmap(seg.data)
			frame = wire.AppendNumbers(frame, number)
		}
	}
	go func() { _ = s.send(wire.Finish(frame)) }()
}

// Take implements wire.Segments. It waits for the descriptor of a segment that it does not know.
func (s *segments) Take(number uint32) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.theirs[number] == nil && !s.find(number) {
		return nil, false
	}
	seg := s.theirs[number]
	if seg.taken {
		return nil, false
	}
	seg.taken, seg.copies = true, s.copies.Open()
	return seg.data, true
}

// Count implements wire.Segments.
func (s *segments) Count(number uint32, bytes uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.theirs[number].copies.Grow(int64(bytes))
}

// find maps the segments that the process has made, up to one. The caller holds s.mu.
func (s *segments) find(number uint32) bool {
	if s.closed || s.conn.SetReadDeadline(time.Now().Add(descriptorPatience)) != nil {
		return false
	}
	for s.theirs[number] == nil {
		if s.receive() != nil {
			return false
		}
	}
	return true
}

// receive maps the next segment of theirs. A segment that could shrink is refused: reading it could end the engine.
func (s *segments) receive() error {
	text, rights := make([]byte, announcement), make([]byte, unix.CmsgSpace(4))
	n, m, _, _, err := s.conn.ReadMsgUnix(text, rights)
	if err != nil {
		return err
	}
	fds := descriptorsIn(rights[:m])
	defer func() {
		for _, fd := range fds {
			_ = unix.Close(fd)
		}
	}()
	if len(fds) != 1 || n != announcement || len(s.theirs) >= mostSegments {
		return wire.ErrBroken
	}
	number, size := binary.LittleEndian.Uint32(text), binary.LittleEndian.Uint64(text[8:])
	seals, err := unix.FcntlInt(uintptr(fds[0]), unix.F_GET_SEALS, 0)
	var stat syscall.Stat_t
	if err != nil || seals&unix.F_SEAL_SHRINK == 0 || syscall.Fstat(fds[0], &stat) != nil || uint64(stat.Size) < size || s.theirs[number] != nil ||
		size > mostMapped-s.mapped {
		return wire.ErrBroken
	}
	data, err := unix.Mmap(fds[0], 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("map shared memory of %d bytes: %w", size, err)
	}
	s.theirs[number] = &segment{number: number, data: data}
	s.mapped += size
	return nil
}

// descriptorsIn returns the descriptors that came with a message, which the engine has to close.
func descriptorsIn(rights []byte) (all []int) {
	messages, _ := unix.ParseSocketControlMessage(rights)
	for i := range messages {
		fds, _ := unix.ParseUnixRights(&messages[i]) // none in a message of another kind
		all = append(all, fds...)
	}
	return all
}

// Release implements wire.Segments; 0 is no segment.
func (s *segments) Release(number uint32) {
	if number == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	seg := s.theirs[number]
	if seg == nil {
		return
	}
	seg.taken = false
	seg.copies.Close()
	if seg.gone {
		s.unmap(seg)
	}
	if s.closed {
		return
	}
	s.free, s.size = append(s.free, number), s.size+len(seg.data)
	s.tellLater()
}

// tellLater tells the process what is free, unless a message takes that along before. The caller holds s.mu.
func (s *segments) tellLater() {
	switch {
	case s.tell == nil:
		s.tell = time.AfterFunc(tellAfter, func() {
			if frame := s.news(); frame != nil {
				_ = s.send(frame)
			}
		})
	case s.size > keptBytes:
		s.tell.Reset(0)
	case len(s.free) == 1:
		s.tell.Reset(tellAfter)
	}
}

// news returns the frame that tells the process which of its segments are free, once for each; nil for none. A message that
// takes it along spares the process a wake-up.
func (s *segments) news() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) == 0 || s.closed {
		return nil
	}
	frame := wire.Finish(wire.AppendNumbers(wire.Begin(nil, wire.Freed, 0), s.free...))
	s.free, s.size = s.free[:0], 0
	return frame
}

// dropped unmaps segments that the process uses no more.
func (s *segments) dropped(numbers ...uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, number := range numbers {
		s.drop(number)
	}
}

func (s *segments) drop(number uint32) {
	seg := s.theirs[number]
	if seg == nil {
		return
	}
	if seg.gone = true; !seg.taken {
		s.unmap(seg)
	}
}

// unmap forgets a segment of theirs. The caller holds s.mu.
func (s *segments) unmap(seg *segment) {
	s.mapped -= uint64(len(seg.data))
	delete(s.theirs, seg.number)
	_ = unix.Munmap(seg.data)
}

// close unmaps everything, apart from what responses still use: that goes when they are released.
func (s *segments) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, timer := range []*time.Timer{s.idle, s.tell} {
		if timer != nil {
			timer.Stop()
		}
	}
	for number, seg := range s.ours {
		if !seg.filled {
			delete(s.ours, number)
			_ = unix.Munmap(seg.data)
		}
	}
	for number := range s.theirs {
		s.drop(number)
	}
	_ = s.conn.Close()
}
