package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ways are the ways in which perf_analyzer calls.
var ways = []analysis{
	{protocol: "http", mode: []string{"--sync"}},
	{protocol: "http", mode: []string{"--async"}},
	{protocol: "http", mode: []string{"--async", "--input-tensor-format", "json", "--output-tensor-format", "json"}},
	{protocol: "grpc", mode: []string{"--sync"}},
	{protocol: "grpc", mode: []string{"--async"}},
	{protocol: "grpc", mode: []string{"--async", "--streaming"}},
	{protocol: "grpc", mode: []string{"--async", "--grpc-compression-algorithm", "gzip"}},
}

// asJSON tells whether tensors are text in a request, which tensors in shared memory cannot be.
func (a analysis) asJSON() bool { return slices.Contains(a.mode, "json") }

// measureModes runs perf_analyzer against Conch in each of its modes. A mode that fails is an error.
func measureModes(ctx context.Context, b bench) error {
	if b.triton == "" {
		row("perf_analyzer", "not run: CONCH_TRITON names no command beside which it lies")
		return nil
	}
	return inTemp(func(dir string) error {
		intervals := filepath.Join(dir, "intervals") // microseconds from one request to the next
		repository := filepath.Join(dir, "repository")
		if err := errors.Join(
			os.WriteFile(intervals, []byte("2000\n3000\n4000\n"), 0o644),
			os.CopyFS(filepath.Join(repository, "add_sub"), os.DirFS(filepath.Join(b.repository, "add_sub"))),
		); err != nil {
			return err
		}
		s, err := startServer(ctx, b, repository, sharing)
		if err != nil {
			return err
		}
		defer s.stop()
		return errors.Join(s.runModes(ctx, b, [][]string{
			{"--concurrency-range", "1:4:3"}, {"--request-rate-range", "300"}, {"--request-rate-range", "300", "--request-distribution", "poisson"},
			{"--request-intervals", intervals}, {"--concurrency-range", "4", "--request-count", "500"}, {"-b", "4", "--concurrency-range", "4"},
		}))
	})
}

// runModes runs each way to call with each kind of load, with and without shared memory.
func (s *server) runModes(ctx context.Context, b bench, loads [][]string) error {
	var failed error
	for _, way := range ways {
		for _, load := range loads {
			for _, way.shared = range []bool{false, true} {
				a := analysis{model: "add_sub", protocol: way.protocol, shared: way.shared, mode: append(append([]string{}, way.mode...), load...)}
				if a.shared && a.asJSON() {
					continue
				}
				found, err := a.measure(ctx, b, s)
				if err == nil && found.rate == 0 {
					err = fmt.Errorf("no inference in the mode %s", strings.Join(a.mode, " "))
				}
				failed = errors.Join(failed, err)
				name := a.protocol + " " + strings.Join(a.mode, " ")
				if a.shared {
					name += " --shared-memory system"
				}
				row(fmt.Sprintf("%-104s", name), "%8.0f/s   p99 %6.0f µs", found.rate, found.p99)
			}
		}
	}
	return failed
}
