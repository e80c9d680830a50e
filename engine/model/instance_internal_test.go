package model

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Executions of an eager instance that end at the same time do not lose the longest.
func TestLongestOfExecutionsThatEndTogether(t *testing.T) {
	const rounds, each = 20000, 3
	for range rounds {
		in, began := &instance{}, time.Now()
		var here atomic.Int32
		var all sync.WaitGroup
		for odd := range 2 {
			all.Go(func() {
				here.Add(1)
				for spins := 0; here.Load() < 2 && spins < 1e4; spins++ {
				}
				for i := range each {
					in.lasted(began, began.Add(time.Duration(2*i+odd+1)))
				}
			})
		}
		all.Wait()
		if _, longest := in.running(); longest != 2*each {
			t.Fatalf("the longest is %v, want %v", longest, time.Duration(2*each))
		}
	}
}
