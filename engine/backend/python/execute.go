package python

import (
	"context"

	"conch/engine/backend"
	"conch/engine/backend/python/wire"
	"conch/engine/infer"
)

var _ backend.Eager = (*instance)(nil)

const (
	// mostAhead is how many batches wait in the process while another one runs. The process finds the next one there when it has
	// answered, and does not sleep until the engine has read the answer. With two, the engine need not hurry to send one more.
	mostAhead = 2
	// largestAhead is the size of the tensors of a batch that waits there: what waits takes memory, or room of the connection, which
	// messages for the batch that runs need.
	largestAhead = 1 << 20
)

// Ahead implements backend.Eager. A decoupled model may answer when its execution has ended, and only one of its batches is known by then.
func (in *instance) Ahead() int {
	if in.model.decoupled() {
		return 0
	}
	return mostAhead
}

// Execute sends the batch to the process and waits for what becomes of it.
func (in *instance) Execute(ctx context.Context, batch *backend.Batch) {
	run := in.enter(ctx, batch)
	if run == nil { // the process has died
		if in.Ahead() == 0 {
			batch.FailAll(in.unhealthy())
		}
		return
	}
	if !in.model.decoupled() { // of such a model much comes that is not for this execution
		in.process.lead(in, batch.Requests[0].Alone, func() bool { return len(run.events) > 0 })
	}
	left := ctx.Done()
	for {
		select {
		case got := <-run.events:
			switch {
			case got.what == turn:
				in.sendLate(run)
				continue
			case got.what == died && !in.lost(run):
				return
			}
			in.finish(run, got)
			in.reuse(run)
			return
		case <-left:
			if left = nil; in.leave(run) {
				return
			}
			in.cancel(run)
		}
	}
}

// enter puts a batch into the line, and sends it where it may be sent now. It returns nil when the process has died.
func (in *instance) enter(ctx context.Context, batch *backend.Batch) *running {
	in.sending.Lock()
	defer in.sending.Unlock()
	run := in.running(ctx, batch)
	in.next += uint64(len(batch.Requests))
	now, ok := in.queue(run)
	if !ok {
		return nil
	}
	if now {
		in.sendBatch(run)
	}
	return run
}

// running returns the memory of a batch.
func (in *instance) running(ctx context.Context, batch *backend.Batch) *running {
	run, ok := in.spare.Get().(*running)
	if !ok {
		run = &running{events: make(chan event, 2)} // its turn, and its end
	}
	n := len(batch.Requests)
	if cap(run.later) < n {
		run.later = make([]*reply, n)
	}
	*run = running{ctx: ctx, batch: batch, first: in.next, later: run.later[:n], events: run.events, results: run.results[:0]}
	return run
}

// reuse gives the memory of a batch back, which is answered. Nobody else knows it any more.
func (in *instance) reuse(run *running) {
	clear(run.later)
	clear(run.results)
	run.ctx, run.batch, run.profile = nil, nil, nil
	in.spare.Put(run)
}

// queue puts a batch into the line, and decides whether it is sent now. ok is false when the process has died.
func (in *instance) queue(run *running) (now, ok bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.gone {
		return false, false
	}
	run.sent = len(in.line.open) == 0 || in.line.takesMore() && in.fitsAhead(run.batch)
	in.line.open = append(in.line.open, run)
	in.start()
	return run.sent, true
}

// inlineSize returns how much of a message a request of a batch with so many bytes of tensors takes, or a little more.
func (in *instance) inlineSize(r *infer.Request, total int) int {
	size := 256 + len(r.ID) + len(r.Sequence.Name) + 8*len(in.outputs)
	if r.Trace != nil {
		size += 2 * len(r.Trace.Span.State)
	}
	for _, name := range in.outputs {
		size += len(name)
	}
	for i := range r.Inputs {
		t := &r.Inputs[i]
		size += 48 + len(t.Name) + 8*len(t.Shape)
		if staysInline(total, len(t.Data)) {
			size += len(t.Data)
		}
	}
	for name, value := range r.Parameters {
		text, _ := value.(string)
		size += 32 + 6*(len(name)+len(text)) // a character is \u0000 at most
	}
	return size
}

// fitsAhead reports whether a batch may wait in the process. A person who looks at what runs there wants to see that alone.
func (in *instance) fitsAhead(batch *backend.Batch) bool {
	total := 0
	for _, r := range batch.Requests {
		total += sizeOf(r.Inputs)
	}
	if total > largestAhead || kindOf(batch.Requests) != wire.Execute || in.debugger.at() != "" {
		return false
	}
	room := longestAhead
	for _, r := range batch.Requests {
		room -= in.inlineSize(r, total)
	}
	return room >= 0
}

// start notes that the process begins the first batch of the line for which somebody waits. It has begun those before it, which it does
// not run if it has heard in time that their clients left. If it runs one, what waits for that counts as begun: so the engine sees that
// something runs, and how long. The caller holds in.mu.
func (in *instance) start() {
	defer in.tellTaken()
	for _, run := range in.line.open {
		if !run.begun {
			in.begin(run)
		}
		if !run.left {
			return
		}
	}
}

// tellTaken tells that the inputs of the batch that runs are not read any more: the process has them, and no other one gets them. The caller
// holds in.mu.
func (in *instance) tellTaken() {
	if run := in.line.current(); run != nil && run.begun && run.written && !run.left && !run.told {
		run.told = true
		run.batch.Taken()
	}
}

// begin notes that a batch has begun. The caller holds in.mu.
func (in *instance) begin(run *running) {
	run.begun = true
	if run.left {
		return
	}
	run.batch.Start()
	if in.model.decoupled() {
		for i := range run.later {
			in.laterOf(run, i)
		}
	}
}

// sendBatch sends the requests to the process. The caller holds in.sending.
func (in *instance) sendBatch(run *running) {
	requests, total := run.batch.Requests, 0
	for _, r := range requests {
		total += sizeOf(r.Inputs)
	}
	to, sent := in.process.shared.place(total)
	defer sent()
	frame := wire.AppendRequests(wire.Begin(in.frame, kindOf(requests), run.first), len(requests))
	for i, r := range requests {
		frame = wire.AppendRequest(frame, in.request(r, run.first+uint64(i)), to)
	}
	if cap(frame) <= 2*readAhead {
		in.frame = frame
	}
	run.batch.InputDone()
	begun, err := in.process.write(wire.Finish(frame))
	in.mu.Lock()
	if run.written = err == nil; err != nil {
		run.sent = begun // a part may be what ended the process, which has no memory for it
	}
	in.tellTaken()
	in.mu.Unlock()
	if err != nil {
		in.process.kill(nil)
	}
}

// sendLate sends a batch whose turn has come. Those that came after it were not sent until then.
func (in *instance) sendLate(run *running) {
	in.sending.Lock()
	defer in.sending.Unlock()
	in.mu.Lock()
	run.sent = true
	in.mu.Unlock()
	in.sendBatch(run)
}

// cancel tells the process that nobody waits for a batch. One that it has not begun it will not run.
func (in *instance) cancel(run *running) {
	var frames []byte
	for i := range run.later {
		frames = append(frames, wire.Finish(wire.Begin(nil, wire.Cancel, run.first+uint64(i)))...)
	}
	_ = in.process.send(frames)
}

// leave gives up a batch for which nobody waits, if it has not begun. It reports whether that was so.
func (in *instance) leave(run *running) bool {
	sent, left := in.line.leave(in, run)
	if sent {
		in.cancel(run)
	}
	return left
}

// leave marks a batch as left; one that was not sent is taken out.
func (l *line) leave(in *instance, run *running) (sent, left bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if run.begun {
		return false, false
	}
	run.left = true
	if !run.sent {
		l.remove(run)
	}
	return run.sent, true
}

// lost reports whether a batch had begun when the process died.
func (in *instance) lost(run *running) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return run.begun
}

// executed takes the end of the batch that runs. The next one has begun by then.
func (in *instance) executed(p *process, h wire.Header, payload []byte) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	run := in.line.current()
	if run == nil || !run.sent || run.first != h.ID {
		return wire.ErrBroken
	}
	in.line.pop()
	in.tellEnded()
	if !run.left {
		run.batch.InferDone()
		in.line.ended = append(in.line.ended, run)
	}
	got := event{what: executed}
	if h.Kind == wire.Failed {
		got = event{failed, payload}
	} else {
		run.read(p, payload)
	}
	if run.left {
		run.drop(p)
	} else {
		run.events <- got
	}
	in.start()
	if next := in.line.current(); next != nil && !next.sent {
		next.events <- event{what: turn}
	}
	return nil
}

// tellEnded tells those who wait for the end of the batch that ran. The caller holds in.mu.
func (in *instance) tellEnded() {
	if in.ended != nil {
		close(in.ended)
		in.ended = nil
	}
}

// drop frees the answers of a batch for which nobody waits.
func (run *running) drop(p *process) {
	for _, got := range run.results {
		p.shared.Release(got.reply.Segment)
	}
}

// died ends the batches of a process that has died, whose messages have all been read. It may have begun the first one of the line, and
// no other: it has ended none of them.
func (in *instance) died() {
	in.sending.Lock() // what is being sent is sent, or is not
	defer in.sending.Unlock()
	in.mu.Lock()
	defer in.mu.Unlock()
	in.gone = true
	in.tellEnded()
	for i, run := range in.line.open {
		if run.left {
			continue
		}
		may := run.sent && (i == 0 || in.process.broken) || in.Ahead() == 0
		switch {
		case may && !run.begun:
			in.begin(run)
		case !may && run.begun:
			run.begun = false
			run.batch.TakeBack()
		}
		if run.begun {
			run.batch.InferDone()
		}
		run.events <- event{what: died}
	}
	in.line.open = nil
}
