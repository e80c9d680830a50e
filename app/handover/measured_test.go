package handover_test

import (
	"path/filepath"
	"testing"
	"time"

	"conch/app/handover"
	"conch/app/store"
	"conch/app/workspace"
)

// TestMeasured reads the highest second from a real history, of these repositories alone.
func TestMeasured(t *testing.T) {
	dir := t.TempDir()
	if most, err := handover.Measured(t.Context(), filepath.Join(dir, "none"), []string{"/models"}); most != 0 || err != nil {
		t.Error(most, err)
	}
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-time.Hour)
	for i, memory := range []uint64{1000, 7000, 2000} {
		s.AddSample(store.Sample{Repository: workspace.KeyOf([]string{"/models"}), Time: at.Add(time.Duration(i) * time.Second), Covered: time.Second, Memory: memory})
	}
	s.AddSample(store.Sample{Repository: workspace.KeyOf([]string{"/others"}), Time: at, Covered: time.Second, Memory: 9000})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if most, err := handover.Measured(t.Context(), dir, []string{"/models"}); most != 7000 || err != nil {
		t.Error(most, err)
	}
}
