package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/prometheus/procfs"
)

// measureBeside holds add_sub against the same on the real server, with perf_analyzer, in turns.
func measureBeside(ctx context.Context, b bench) error {
	if b.triton == "" {
		row("beside the real server", "not measured: CONCH_TRITON names no command that runs one")
		return nil
	}
	return inTemp(func(dir string) error {
		if err := os.CopyFS(filepath.Join(dir, "add_sub"), os.DirFS(filepath.Join(b.repository, "add_sub"))); err != nil {
			return err
		}
		ours, err := startServer(ctx, b, dir)
		if err != nil {
			return err
		}
		defer ours.stop()
		theirs, err := startTriton(ctx, b.triton, dir)
		if err != nil {
			return err
		}
		defer theirs.stop()
		for _, protocol := range []string{"http", "grpc"} {
			for _, inFlight := range []int{1, 8, 32, 128} {
				if err := inTurns(ctx, b, analysis{"add_sub", protocol, inFlight, 0}, ours, theirs); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// besideRounds is how often both servers are measured for each row.
const besideRounds = 3

// inTurns measures both servers one after the other, some times, and prints the medians of the ratios of each round.
func inTurns(ctx context.Context, b bench, a analysis, ours, theirs *server) error {
	var rates, tails, costs []float64
	for range besideRounds {
		our, ourCost, err := a.costing(ctx, b, ours)
		if err != nil {
			return err
		}
		their, theirCost, err := a.costing(ctx, b, theirs)
		if err != nil {
			return err
		}
		rates, tails, costs = append(rates, our.rate/their.rate), append(tails, our.p99/their.p99), append(costs, ourCost/theirCost)
	}
	least(a.String(), median(rates), 1.2, ratio, fmt.Sprintf("rounds from %.2f to %.2f", quantile(rates, 0), quantile(rates, 1)))
	most("  p99", median(tails), 1, ratio, fmt.Sprintf("rounds from %.2f to %.2f", quantile(tails, 0), quantile(tails, 1)))
	row("  processor time for a request", "%8.2f", median(costs))
	return nil
}

// costing measures a row, and how much processor time the server took for each request of it, in seconds.
func (a analysis) costing(ctx context.Context, b bench, s *server) (analyzed, float64, error) {
	before, err := s.spent(ctx, a.model)
	if err != nil {
		return analyzed{}, 0, err
	}
	found, err := a.measure(ctx, b, s)
	if err != nil {
		return analyzed{}, 0, err
	}
	after, err := s.spent(ctx, a.model)
	return found, (after.seconds - before.seconds) / (after.requests - before.requests), err
}

// spent is what a server has done so far.
type spent struct{ seconds, requests float64 }

func (s *server) spent(ctx context.Context, model string) (spent, error) {
	process, err := procfs.NewProc(s.cmd.Process.Pid)
	if err != nil {
		return spent{}, err
	}
	stat, err := process.Stat()
	if err != nil {
		return spent{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.http+"/v2/models/"+model+"/stats", nil)
	if err != nil {
		return spent{}, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return spent{}, err
	}
	defer answer.Body.Close()
	var statistics struct {
		Models []struct {
			Inferences struct{ Success struct{ Count float64 } } `json:"inference_stats"`
		} `json:"model_stats"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&statistics); err != nil || len(statistics.Models) == 0 {
		return spent{}, fmt.Errorf("statistics of %s: %d models, %w", model, len(statistics.Models), err)
	}
	return spent{stat.CPUTime(), statistics.Models[0].Inferences.Success.Count}, nil
}
