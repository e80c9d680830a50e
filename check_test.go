package main

import "testing"

// TestTritonRelease: --triton takes a release of the table; the default is the newest.
func TestTritonRelease(t *testing.T) {
	var given, wrong, none tritonRelease
	if err := given.UnmarshalText([]byte("24.10")); err != nil || given.release().Name != "24.10" {
		t.Error(err, given.release())
	}
	if err := wrong.UnmarshalText([]byte("24.1")); err == nil {
		t.Error("24.1 is taken")
	}
	if none.release().Before(given.release().Name) {
		t.Error(none.release())
	}
}

// TestGPUCount: --gpus takes a number of GPUs; without it nothing is counted.
func TestGPUCount(t *testing.T) {
	var given, none gpuCount
	if err := given.UnmarshalText([]byte("2")); err != nil || given.n == nil || *given.n != 2 || none.n != nil {
		t.Error(err, given)
	}
	for _, text := range []string{"-1", "1025", "two", ""} {
		if err := new(gpuCount).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
