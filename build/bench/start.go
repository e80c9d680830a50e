package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

const startRuns = 9

func measureStart(ctx context.Context, b bench) error {
	empty, err := os.MkdirTemp("", "conch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(empty)
	for _, r := range []struct{ name, path string }{{"empty repository", empty}, {"four small models", b.repository}} {
		var starts, stops []time.Duration
		for range startRuns {
			s, err := startServer(ctx, b, r.path)
			if err != nil {
				return err
			}
			starts = append(starts, s.took)
			stops = append(stops, s.stop())
		}
		row(r.name, "ready in %s, stopped in %s (median of %d)", ms(median(starts)), ms(median(stops)), startRuns)
	}
	return nil
}

func measureMemory(ctx context.Context, b bench) error {
	s, err := startServer(ctx, b, b.repository)
	if err != nil {
		return err
	}
	defer s.stop()
	pss, err := proportional(s.cmd.Process.Pid)
	if err != nil {
		return err
	}
	row("engine, four small models", "%.1f MB", float64(pss)/1e6)
	return nil
}

// smapsField reads "Pss:      1234 kB" in bytes.
func smapsField(text, name string) (uint64, error) {
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), name); ok {
			var kb uint64
			_, err := fmt.Sscanf(rest, "%d kB", &kb)
			return kb * 1024, err
		}
	}
	return 0, fmt.Errorf("no %s in smaps_rollup", name)
}

func median(all []time.Duration) time.Duration { return quantile(all, 0.5) }

func quantile(all []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1e3) }
