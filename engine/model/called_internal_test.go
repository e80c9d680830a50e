package model

import (
	"errors"
	"testing"
)

// TestNewestFailed: of a model that was called, it is known how the newest call ended, whatever others did before.
func TestNewestFailed(t *testing.T) {
	l := newCallLog(func() {})
	for _, step := range []struct {
		err          error
		count, fails uint64
	}{{nil, 1, 0}, {errors.New("unexpected inference input"), 2, 1}, {nil, 3, 1}} {
		l.ended(l.began("sums"), step.err)
		called, _ := l.list()
		if len(called) != 1 || called[0].Count != step.count || called[0].Failed != step.fails || called[0].NewestFailed != (step.err != nil) {
			t.Errorf("after %v: %+v", step.err, called)
		}
	}
}
