package python

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/python/wire"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// The answers of a batch that has ended are those of the process, also when it dies before the engine has read them.
func TestAnswersOutliveTheProcess(t *testing.T) {
	ours, theirs, err := socketPair()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = theirs.Close() }()
	memory, err := unix.Mmap(-1, 0, 1<<17, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{shared: newSegments(ours, nil), dead: make(chan struct{})}
	close(p.dead)
	p.shared.theirs[1] = &segment{number: 1, data: memory}
	out := tensor.Tensor{Name: "OUT", Type: tensor.Uint8, Shape: tensor.Shape{1 << 16}, Data: bytes.Repeat([]byte("x"), 1<<16)}
	frame := wire.AppendRequests(wire.Begin(nil, wire.Executed, 1), 1)
	frame = wire.AppendRequests(frame, int(wire.Answered))
	frame = wire.AppendReply(frame, &wire.Reply{Outputs: []tensor.Tensor{out}}, &placing{seg: p.shared.theirs[1]})

	cfg := &modelconfig.ModelConfig{Output: []*modelconfig.ModelOutput{{Name: "OUT"}}}
	in := newInstance(t.Context(), &model{spec: backend.Spec{Config: cfg}}, "m_0")
	in.process = p
	var got *infer.Response
	batch := backend.NewBatch([]*infer.Request{{}}, func(_ int, r *infer.Response) { got = r }, func(_ int, err error) { t.Error(err) })
	run := in.running(t.Context(), batch)
	run.sent = true
	in.line.open = []*running{run}
	if err := in.executed(p, wire.Header{Kind: wire.Executed, ID: 1}, wire.Finish(frame)[wire.HeaderSize:]); err != nil {
		t.Fatal(err)
	}
	p.shared.close()
	if in.finish(run, <-run.events); got == nil {
		t.Fatal("it is not answered")
	}
	if !bytes.Equal(got.Outputs[0].Data, out.Data) {
		t.Error("its output has changed")
	}
	if got.Release(); len(p.shared.theirs) > 0 {
		t.Error("its segment is still mapped")
	}
}
