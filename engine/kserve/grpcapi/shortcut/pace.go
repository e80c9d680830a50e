package shortcut

import (
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// quickCall is the mean time of a call that the reader itself serves.
const quickCall = 300 * time.Microsecond

// Learner is what a call's grpc.ServerStream implements here. A handler tells whether the calls of its model should run one
// after the other, which is asked once for each config: they need a processor alone, and form no batches.
type Learner interface {
	Direct(config any, is func() bool)
}

// pace is how long the calls of a model take.
type pace struct {
	name   string // of the model
	config any    // by which it is known; nil for none
	direct bool
	mean   atomic.Int64 // nanoseconds
}

// unknown is the pace of models that have not told what they are.
var unknown = new(pace)

// paceOf returns the pace of a model, and its name in memory of its own.
func (r *Road) paceOf(name []byte) (*pace, string) {
	r.pacesMu.RLock()
	defer r.pacesMu.RUnlock()
	if p := r.paces[string(name)]; p != nil {
		return p, p.name
	}
	return unknown, string(name)
}

// mostPaces is how many models are known. Clients can load models of any name, one after the other.
const mostPaces = 1000

// learn records what a model is. Only a model that is there tells.
func (r *Road) learn(name string, config any, direct bool) {
	r.pacesMu.Lock()
	defer r.pacesMu.Unlock()
	if len(r.paces) >= mostPaces {
		clear(r.paces) // those that are in use tell again
	}
	p := &pace{name: name, config: config, direct: direct}
	if before := r.paces[name]; before != nil {
		p.mean.Store(before.mean.Load())
	} else if !direct {
		p.mean.Store(int64(aloneCall)) // until its calls are measured
	}
	r.paces[name] = p
}

func (p *pace) quick() bool { return p.direct && p.mean.Load() < int64(quickCall) }

func (p *pace) took(d time.Duration) {
	if p != unknown {
		mean := p.mean.Load()
		p.mean.Store(mean + (int64(d)-mean)/8)
	}
}

// stuck records that a call takes far longer than others.
func (p *pace) stuck() { p.mean.Store(int64(8 * quickCall)) }

// modelName returns the name, which clients write first; nil if they do not.
func modelName(message []byte) []byte {
	number, kind, n := protowire.ConsumeTag(message)
	if n < 0 || number != 1 || kind != protowire.BytesType {
		return nil
	}
	name, n := protowire.ConsumeBytes(message[n:])
	if n < 0 {
		return nil
	}
	return name
}
