package onnx

import "testing"

// Threads that wait for the next part of a run sleep. The threads of the process are tested where they are made
// (ort.TestWhatFailsToOpenLeavesNothingOpen).
func TestOwnThreadsDoNotSpin(t *testing.T) {
	entries := recipe{threads: own}.entries()
	for _, key := range []string{"session.intra_op.allow_spinning", "session.inter_op.allow_spinning"} {
		if entries[key] != "0" {
			t.Errorf("%s is %q", key, entries[key])
		}
	}
	if shared := (recipe{threads: shared}).entries(); len(shared) > 0 {
		t.Errorf("a session without threads has %v", shared)
	}
}
