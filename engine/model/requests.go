package model

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"conch/engine/infer"
	"conch/engine/metrics"
	"conch/engine/tensor"
)

// requests serves the requests of one version: it checks them, gives them to the scheduler, turns the backend's responses
// into the client's, and counts. Its fields do not change after the load.
type requests struct {
	model    string
	version  int64
	contract *contract
	labels   labels
	counters *metrics.Counters
	ensemble bool
	// decoupled says that the version may send any number of responses.
	decoupled bool
	graph     *CallGraph
	active    int           // instances that get requests; 0 for an ensemble
	behind    infer.Handler // the scheduler, or the response cache in front of it
	// deliveries keeps deliveries that have ended, for reuse.
	deliveries sync.Pool
	// handing counts the answers that clients take, where the version may send any number.
	handing handing
	// running counts the requests that run or wait in a queue. Others are inside the version only to find it when their turn comes.
	running atomic.Int64
	// failures writes those that fail to the model's log.
	failures failures
}

// handing counts the answers that have been given to their clients: those that a client began to take, and those that it
// has taken.
type handing struct{ begun, ended atomic.Int64 }

// open returns how many answers are being taken at the moment. ended is another number when an answer was taken meanwhile.
func (h *handing) open() (n, ended int64) {
	ended = h.ended.Load()
	return h.begun.Load() - ended, ended
}

// onlyStreams refuses a call that takes one answer, in Triton's words (docs/triton/python.md, "Calls to other models").
const onlyStreams = "Model %s is using the decoupled. The current BLS request call doesn't support models using the decoupled " +
	"transaction policy. Please use 'decoupled=True' argument to the 'exec' or 'async_exec' calls for decoupled models.'"

// Infer serves one request.
func (q *requests) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	q.running.Add(1)
	defer q.running.Add(-1)
	accepted := time.Now()
	if r.Received.IsZero() {
		r.Received = accepted
	}
	if err := q.contract.check(r); err != nil {
		return err // not counted (docs/triton/metrics.md, "What counts as what")
	}
	if r.Caller != nil {
		if r.Single && q.decoupled {
			return infer.Errorf(infer.Unsupported, onlyStreams, q.model)
		}
		over, err := q.reach(r)
		if err != nil {
			return err
		}
		defer over()
	}
	r.Accepted = true
	if r.Trace != nil {
		r.Trace.Begin(q.model, q.version, r)
	}
	d := q.deliver(r, sink)
	err := q.behind.Infer(ctx, q.contract.reshapeInputs(r), d.hand)
	if r.Trace != nil {
		r.Trace.End(err)
	}
	switch {
	case err == nil || d.answered:
	case infer.FateOf(err) == infer.Undelivered:
		q.succeeded(r, &infer.Response{Timings: d.last, GPU: d.gpu})
	case countsAsFailure(err):
		q.failed(r, err, time.Since(accepted))
	}
	q.delivered(d, err)
	return err
}

// reach notes that the caller of a request waits for this version, until the function is called. It refuses a request for
// which no instance can become free, because all instances wait for it, be it by way of other models.
func (q *requests) reach(r *infer.Request) (over func(), err error) {
	if q.active == 0 {
		return func() {}, nil
	}
	over, ok := q.graph.wait(r.Caller, q.counters.Generation(), q.active)
	if ok {
		return over, nil
	}
	return nil, &infer.Error{Code: infer.Unavailable, Fate: infer.TurnedAway, Message: "model '" + q.model +
		"' cannot answer: all its instances wait for this call (" + r.Caller.String() + " calls " + q.model + "). Give it more instances, or break the circle."}
}

func (q *requests) failed(r *infer.Request, err error, took time.Duration) {
	counters := q.counters.For(r)
	reason := q.reason(err)
	counters.Failed(reason, took)
	if reason != metrics.Canceled && !r.Trial { // a client that left knows why, and so does the one who compares
		q.failures.add(r.ID, err)
	}
	if r.FromClient() {
		counters.ClientFailed()
	}
}

func countsAsFailure(err error) bool {
	fate := infer.FateOf(err)
	return fate != infer.TurnedAway && fate != infer.Answered
}

// reason returns the label of a failure. For an ensemble it is always OTHER (docs/triton/ensembles.md, "Counting").
func (q *requests) reason(err error) metrics.Reason {
	if why := metrics.ReasonOf(err); why == metrics.Canceled || !q.ensemble {
		return why
	}
	return metrics.Other
}

// delivery takes one request's responses from the scheduler to the client.
type delivery struct {
	of       *requests
	request  *infer.Request
	sink     infer.Sink
	first    bool          // no response has come yet
	answered bool          // the final response has come
	last     infer.Timings // of the newest response
	gpu      string        // of the newest response
	hand     infer.Sink    // take, as the scheduler gets it
}

func (q *requests) deliver(r *infer.Request, sink infer.Sink) *delivery {
	d, ok := q.deliveries.Get().(*delivery)
	if !ok {
		d = &delivery{of: q}
		d.hand = d.take
	}
	d.request, d.sink, d.first, d.answered, d.last, d.gpu = r, sink, true, false, infer.Timings{}, ""
	return d
}

// delivered ends a delivery. After an error a late response may still use it, so it is not reused.
func (q *requests) delivered(d *delivery, err error) {
	if err == nil {
		d.request, d.sink = nil, nil
		q.deliveries.Put(d)
	}
}

// take turns a backend's response into the client's, counts it and sends it.
func (d *delivery) take(resp *infer.Response) error {
	q, r := d.of, d.request
	d.last, d.gpu = resp.Timings, resp.GPU
	if resp.Err != nil && !r.KeepsOn {
		return resp.Err
	}
	if err := q.dress(r, resp); err != nil {
		return err
	}
	if d.first {
		d.first = false
		q.counters.For(r).First.Add(r.Received)
	}
	if resp.Final {
		d.answered = true
		q.succeeded(r, resp)
	}
	if r.Trace != nil {
		r.Trace.Answered(resp)
	}
	if q.decoupled {
		q.handing.begun.Add(1)
		defer q.handing.ended.Add(1)
	}
	return d.sink(resp)
}

func (q *requests) succeeded(r *infer.Request, resp *infer.Response) {
	resp.Timings.Total = time.Since(r.Received)
	counters := q.counters.For(r)
	if r.FromClient() {
		counters.ClientAnswered(resp.Timings)
	}
	switch resp.Cache {
	case infer.CacheHit:
		counters.Hit(resp.Timings, resp.CacheTook)
		return
	case infer.CacheMiss:
		counters.Missed(resp.CacheTook)
	}
	if resp.Late {
		return // counted when its execution ended
	}
	counters.On(resp.GPU).Succeeded(r.Batch, resp.Timings)
	if q.ensemble {
		counters.Executed(max(r.Batch, 1), resp.Timings)
	}
}

// dress turns a backend's response into the client's: names, shapes, and classes where the request asks for them.
func (q *requests) dress(r *infer.Request, resp *infer.Response) error {
	resp.ID, resp.Model, resp.Version = r.ID, q.model, q.version
	resp.Labels = q.labelsOf(resp)
	if len(r.Outputs) > 0 {
		resp.Outputs = wantedOf(r, resp.Outputs)
	}
	for i := range resp.Outputs {
		out := &resp.Outputs[i]
		p := q.contract.output(out.Name)
		if p == nil {
			return infer.Errorf(infer.Internal, "unexpected inference output '%s' for model '%s'", out.Name, q.model)
		}
		q.contract.reshapeOutput(out, p)
		top := classesOf(r, out.Name)
		if top == 0 {
			continue
		}
		label := func(class int) string { return nameOf(resp.Labels, out.Name, class) }
		if err := classify(out, q.contract.maxBatch > 0, top, label); err != nil {
			return err
		}
	}
	return nil
}

// labelsOf returns the labels of a response: the version's own. An ensemble without label files has those of the steps
// that made the response (docs/triton/ensembles.md, "How a request flows").
func (q *requests) labelsOf(resp *infer.Response) infer.Labels {
	switch {
	case !q.ensemble && len(q.labels) == 0:
		return nil
	case !q.ensemble:
		return q.labels
	case len(q.labels) == 0:
		return resp.Labels
	}
	return ownFirst{q.labels, resp.Labels}
}

// wantedOf removes, in place, the outputs that the client did not ask for.
func wantedOf(r *infer.Request, outputs []tensor.Tensor) []tensor.Tensor {
	kept := outputs[:0]
	for i := range outputs {
		if r.Wants(outputs[i].Name) {
			kept = append(kept, outputs[i])
		}
	}
	return kept
}

// classesOf returns how many classes of an output the request asks for; 0 for the tensor itself.
func classesOf(r *infer.Request, name string) uint32 {
	for i := range r.Outputs {
		if r.Outputs[i].Name == name {
			return r.Outputs[i].Classes
		}
	}
	return 0
}
