package rpc

import (
	"context"
	"errors"
	"testing"
)

// A request can be stopped also when an earlier one of the same name has ended meanwhile.
func TestStopReachesTheNewestRunOfAName(t *testing.T) {
	var all runs
	_, endFirst := all.begin(t.Context(), "a")
	second, endSecond := all.begin(t.Context(), "a")
	endFirst()
	all.stop("a")
	if !errors.Is(context.Cause(second), errStopped) {
		t.Errorf("the second request ended with %v", context.Cause(second))
	}
	endSecond()
	all.stop("a")
}
