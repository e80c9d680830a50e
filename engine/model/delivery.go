package model

import "conch/engine/infer"

// delivery is the way of one request's responses from the scheduler to the client.
type delivery struct {
	version  *Version
	request  *infer.Request
	sink     infer.Sink
	first    bool       // no response has come yet
	answered bool       // finally
	hand     infer.Sink // what the scheduler is given
}

func (v *Version) deliver(r *infer.Request, sink infer.Sink) *delivery {
	d, ok := v.deliveries.Get().(*delivery)
	if !ok {
		d = &delivery{version: v}
		d.hand = d.take
	}
	d.request, d.sink, d.first, d.answered = r, sink, true, false
	return d
}

// delivered ends a delivery. After an error somebody may still be about to use it.
func (v *Version) delivered(d *delivery, err error) {
	if err == nil {
		d.request, d.sink = nil, nil
		v.deliveries.Put(d)
	}
}

// take makes a backend's response the client's.
func (d *delivery) take(resp *infer.Response) error {
	v, r := d.version, d.request
	if err := v.dress(r, resp); err != nil {
		return err
	}
	if d.first {
		d.first = false
		v.counters.First.Add(r.Received)
	}
	if resp.Final {
		d.answered = true
		v.succeeded(r, resp)
	}
	if r.Trace != nil {
		r.Trace.Answered(resp)
	}
	return d.sink(resp)
}
