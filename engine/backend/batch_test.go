package backend_test

import (
	"testing"

	"conch/engine/backend"
	"conch/engine/infer"
)

// The caller of Infer learns that the inputs of its request are read no more, unless the request may run again: then they are read once more.
func TestTaken(t *testing.T) {
	for _, runsAgain := range []bool{false, true} {
		told := 0
		b := backend.NewBatch([]*infer.Request{{Taken: func() { told++ }}, {}}, nil, nil)
		if runsAgain {
			b.OnReschedule(func(int, *infer.Response) {})
		}
		b.Taken()
		if want := map[bool]int{false: 1, true: 0}[runsAgain]; told != want {
			t.Errorf("runs again: %v; told %d times, want %d", runsAgain, told, want)
		}
	}
}
