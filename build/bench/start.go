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

// measureMemory tells apart what the engine has for itself and the pages of its files, which the kernel can take back.
func measureMemory(ctx context.Context, b bench) error {
	for _, file := range []string{b.binary, os.Getenv("CONCH_ONNXRUNTIME")} {
		if file == "" {
			continue // the engine finds the library by itself
		}
		if err := forget(file); err != nil {
			return err
		}
	}
	s, err := startServer(ctx, b, b.repository)
	if err != nil {
		return err
	}
	defer s.stop()
	own, err := memoryOf(s.cmd.Process.Pid, anonymous)
	if err != nil {
		return err
	}
	whole, err := memoryOf(s.cmd.Process.Pid, proportional)
	if err != nil {
		return err
	}
	most("engine, four small models, its own", float64(own), 20e6, mb)
	most("with the pages of its files", float64(whole), 60e6, mb)
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
