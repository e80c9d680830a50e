package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// Limits of what one repository gets in the history. A server elsewhere chooses the names of its models and GPUs, and could invent new ones every second.
var (
	mostModels  = 100_000
	mostGPUs    = 128
	longestName = 1 << 10
)

// room identifies what is counted together: the models of a repository, or its GPUs.
type room struct {
	repository string
	gpus       bool
}

// hasRoom reports whether rows of a series are kept. A series that is not in the file yet takes a place.
func (s *Store) hasRoom(ctx context.Context, tx *sql.Tx, key seriesKey) (bool, error) {
	if _, known := s.series[key]; known || key.model == "" { // "" is the repository itself
		return true, nil
	}
	if len(key.model) > longestName {
		return false, nil
	}
	of, most := room{key.repository, strings.HasPrefix(key.model, gpuSeries)}, mostModels
	if of.gpus {
		most = mostGPUs
	}
	var there bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM series WHERE repository = ? AND model = ?)`, key.repository, key.model).Scan(&there)
	if err != nil {
		return false, fmt.Errorf("look for the series of %q: %w", key.model, err)
	}
	if there {
		return true, nil
	}
	taken, counted := s.taken[of]
	if !counted {
		err := tx.QueryRowContext(ctx, `SELECT count(*) FROM series WHERE repository = ? AND model <> '' AND (substr(model, 1, ?) = ?) = ?`,
			of.repository, len(gpuSeries), gpuSeries, of.gpus).Scan(&taken)
		if err != nil {
			return false, fmt.Errorf("count the series of %s: %w", of.repository, err)
		}
	}
	s.taken[of] = min(taken+1, most)
	return taken < most, nil
}
