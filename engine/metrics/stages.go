package metrics

import (
	"conch/engine/histogram"
	"conch/engine/infer"
)

// stages are the histograms of the stages' times. Requests that the response cache answered have no
// stages.
type stages struct {
	queue, input, infer, output histogram.Live
}

func (s *stages) add(t infer.Timings) {
	s.queue.Add(uint64(t.Queue))
	s.input.Add(uint64(t.Input))
	s.infer.Add(uint64(t.Infer))
	s.output.Add(uint64(t.Output))
}
