package engine_test

import (
	"slices"
	"testing"
	"time"

	"conch/engine/backend/fake"
)

// A single request waits for others exactly as long as the config says. Go's timers would ring a millisecond or more
// later in an otherwise idle process. The test accepts a few exact waits, because other programs may use the
// processors.
func TestQueueDelayBelowAMillisecond(t *testing.T) {
	const delay, most = 200 * time.Microsecond, 700 * time.Microsecond
	for name, extra := range map[string]string{
		"dynamic":  "dynamic_batching { max_queue_delay_microseconds: 200 }",
		"oldest":   "sequence_batching { oldest { max_candidate_sequences: 4 max_queue_delay_microseconds: 200 } }",
		"direct":   "sequence_batching { direct { max_queue_delay_microseconds: 200 minimum_slot_utilization: 1 } }",
		"iterated": "sequence_batching { iterative_sequence: true oldest { max_candidate_sequences: 4 max_queue_delay_microseconds: 200 } }",
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t, &fake.Backend{}, map[string]string{"m": config + "instance_group [{ count: 1 kind: KIND_CPU }]\n" + extra})
			r := request("m", 1)
			r.Sequence.ID, r.Sequence.Start = 1, true
			var took []time.Duration
			for range 60 {
				began := time.Now()
				if err := e.Infer(t.Context(), r, ignore); err != nil {
					t.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			if slices.Sort(took); took[0] < delay || took[3] > most {
				t.Errorf("requests took from %v; four of sixty up to %v, half up to %v; want %v and little more", took[0], took[3], took[30], delay)
			}
		})
	}
}
