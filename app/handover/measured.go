package handover

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"conch/app/store"
	"conch/app/workspace"
)

// remembered is how far back the history is asked.
const remembered = 30 * 24 * time.Hour

// Measured returns the most memory that Conch's engine held with these repositories, as the history in a data folder
// has it; 0 where it has nothing.
func Measured(ctx context.Context, dataDir string, roots []string) (uint64, error) {
	if _, err := os.Stat(dataDir); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	s, err := store.Open(ctx, store.Options{Dir: dataDir})
	if err != nil {
		return 0, fmt.Errorf("open the history: %w", err)
	}
	most, err := MostMemory(ctx, s, roots)
	return most, errors.Join(err, s.Close())
}

// MostMemory is Measured, of a history that is open.
func MostMemory(ctx context.Context, s *store.Store, roots []string) (uint64, error) {
	now := time.Now()
	series, err := s.Metrics(ctx, store.Query{Repository: workspace.KeyOf(roots), From: now.Add(-remembered), To: now, MaxPoints: 1000})
	if err != nil {
		return 0, fmt.Errorf("read the memory from the history: %w", err)
	}
	var most uint64
	for _, point := range series.Points {
		most = max(most, point.Memory, uint64(max(0, point.MemoryExtent.High)))
	}
	return most, nil
}
