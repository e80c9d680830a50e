package python

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/python/wire"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// dead returns an instance whose process has died after it had made the segment 1, and an output that fits there.
func dead(t *testing.T) (*instance, tensor.Tensor) {
	t.Helper()
	ours, theirs, err := socketPair()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = theirs.Close() })
	memory, err := unix.Mmap(-1, 0, 1<<17, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	cfg := &modelconfig.ModelConfig{Output: []*modelconfig.ModelOutput{{Name: "OUT"}}}
	in := newInstance(t.Context(), &model{spec: backend.Spec{Config: cfg}}, "m_0")
	in.process = &process{conn: newConnection(ours), shared: newSegments(ours, func([]byte) error { return nil }, nil)}
	in.process.life, in.process.die = context.WithCancel(context.Background())
	in.process.dead = in.process.life.Done()
	in.process.die()
	in.process.shared.theirs[1] = &segment{number: 1, data: memory}
	return in, tensor.Tensor{Name: "OUT", Type: tensor.Uint8, Shape: tensor.Shape{1 << 16}, Data: bytes.Repeat([]byte("x"), 1<<16)}
}

// The answers of a batch that has ended are those of the process, also when it dies before the engine has read them.
func TestAnswersOutliveTheProcess(t *testing.T) {
	in, out := dead(t)
	p := in.process
	frame := wire.AppendRequests(wire.Begin(nil, wire.Executed, 1), 1)
	frame = wire.AppendRequests(frame, int(wire.Answered))
	frame = wire.AppendReply(frame, &wire.Reply{Outputs: []tensor.Tensor{out}}, &placing{seg: p.shared.theirs[1]})

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

// A response that nobody passes on keeps no segment: one too many, and one that comes when its request has just ended.
func TestResponsesThatNobodyPassesOn(t *testing.T) {
	for name, c := range map[string]struct {
		ended bool
		room  int
		want  error
	}{
		"one too many":        {false, 0, wire.ErrBroken},
		"of an ended request": {true, 1, nil},
	} {
		in, out := dead(t)
		p := in.process
		to := &reply{in: in, handle: 7, wants: func(string) bool { return true }, responses: make(chan part, c.room), ended: make(chan struct{})}
		if in.open[7] = to; c.ended {
			close(to.ended)
		}
		frame := wire.AppendPart(wire.Begin(nil, wire.Send, 7), false, true)
		frame = wire.AppendReply(frame, &wire.Reply{Outputs: []tensor.Tensor{out}}, &placing{seg: p.shared.theirs[1]})
		if err := in.sent(p, 7, wire.Finish(frame)[wire.HeaderSize:]); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if p.shared.theirs[1].taken {
			t.Errorf("%s: its segment stays in use", name)
		}
		p.shared.close()
	}
}

// A call that is not run, because too many are open, keeps no segment.
func TestCallsThatAreTooMany(t *testing.T) {
	in, out := dead(t)
	p := in.process
	p.asked.Store(mostAsked)
	in.open[7] = &reply{to: nobody{}}
	call := wire.AppendNumbers(nil, 7, 0, 0, 0, 0, 1) // for the request 7, any version, one answer, a name of one byte
	call = wire.AppendRequest(append(call, 'm'), &wire.Request{Inputs: []tensor.Tensor{out}}, &placing{seg: p.shared.theirs[1]})
	for i := range 2 {
		if err := in.called(p, 1, call); !errors.Is(err, errUnread) {
			t.Errorf("%d: %v", i, err)
		}
		if p.shared.theirs[1].taken {
			t.Errorf("%d: its segment stays in use", i)
		}
		clear(in.open) // the next one is for nobody
	}
}

// nobody waits for responses.
type nobody struct{ backend.Responder }

func (nobody) Context() context.Context { return context.Background() }

// A process makes the engine map no more than the system allows, and does not keep it waiting.
func TestSegmentsWithoutEnd(t *testing.T) {
	for name, c := range map[string]struct {
		size  int64
		pause time.Duration
		most  int
	}{
		"many":  {4096, 0, mostSegments},
		"large": {1 << 40, 0, mostMapped >> 40},
		"slow":  {4096, descriptorPatience / 3, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, theirs, err := socketPair()
			if err != nil {
				t.Fatal(err)
			}
			other, err := net.FileConn(theirs)
			if err != nil {
				t.Fatal(err)
			}
			_ = theirs.Close()
			fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
			if err == nil {
				err = unix.Ftruncate(fd, c.size)
			}
			if err == nil {
				_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK)
			}
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				for number := range uint32(mostSegments + 100) {
					text := binary.LittleEndian.AppendUint32(nil, number)
					text = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(text, 0), uint64(c.size))
					if _, _, err := other.(*net.UnixConn).WriteMsgUnix(text, unix.UnixRights(fd), nil); err != nil {
						return
					}
					time.Sleep(c.pause)
				}
			}()
			s := newSegments(ours, nil, nil)
			if _, ok := s.Take(1 << 20); ok || len(s.theirs) > c.most || len(s.theirs) < c.most/2 {
				t.Errorf("%d segments are mapped: %v", len(s.theirs), ok)
			}
			s.close()
			<-ended
			_, _ = other.Close(), unix.Close(fd)
		})
	}
}
