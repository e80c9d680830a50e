package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
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
	for _, r := range []struct {
		name, path string
		aim        time.Duration
	}{{"empty repository", empty, 60 * time.Millisecond}, {"four small models", b.repository, 150 * time.Millisecond}} {
		var starts, stops []time.Duration
		for range startRuns {
			s, err := startServer(ctx, b, r.path)
			if err != nil {
				return err
			}
			starts = append(starts, s.took)
			stops = append(stops, s.stop())
		}
		most(r.name+", ready", median(starts), r.aim, ms)
		most(r.name+", stopped", median(stops), 300*time.Millisecond, ms)
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
	most("engine, four small models", float64(pss), 60e6, mb)
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
