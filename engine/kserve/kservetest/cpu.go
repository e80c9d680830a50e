package kservetest

import (
	"syscall"
	"testing"
	"time"
)

// Linear fails the test when do takes much more than eight times as much processor time for eight times as many
// things. Quadratic work takes 64 times as much. Other load on the machine makes no difference.
func Linear(t *testing.T, what string, things int, prepare func(count int) (do func())) {
	t.Helper()
	few, many := processorTime(t, prepare(things)), processorTime(t, prepare(8*things))
	if many > 30*max(few, 10*time.Millisecond) {
		t.Errorf("%d %s took %s, %d took %s", things, what, few, 8*things, many)
	}
}

func processorTime(t *testing.T, do func()) time.Duration {
	t.Helper()
	begun := used(t)
	do()
	return used(t) - begun
}

func used(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
