package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/prometheus/procfs"
)

// inFlights is how many requests are in flight in a row each of the tables beside the real server.
var inFlights = []int{1, 8, 32, 128}

// measureBeside holds add_sub, an ensemble and a Python program against the same on the real server, with perf_analyzer, in
// turns.
func measureBeside(ctx context.Context, b bench) error {
	if err := usePython(); err != nil {
		return err
	}
	return besideTriton(ctx, b, writeBeside(b), func(ours, theirs *server) error {
		for _, of := range []analysis{{model: "add_sub"}, {model: "chain"}, {model: "echo", elements: 16}} {
			for _, of.protocol = range []string{"http", "grpc"} {
				for _, of.inFlight = range inFlights {
					if !b.rows.MatchString(of.String()) {
						continue
					}
					if err := inTurns(ctx, b, of, ours, theirs); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// chainSteps is how many steps the ensemble has.
const chainSteps = 3

func writeBeside(b bench) func(dir string) error {
	return func(dir string) error {
		return errors.Join(
			os.CopyFS(filepath.Join(dir, "add_sub"), os.DirFS(filepath.Join(b.repository, "add_sub"))),
			write(dir, model{name: "chain", config: chain(chainSteps)}),
			writeProgram(dir, programs[0]),
		)
	}
}

// sharing lets clients share memory with Conch, as they may with the real server.
const sharing = "--allow-client-shm=true"

// besideTriton serves the models that make writes on Conch and on the real server, if there is one.
func besideTriton(ctx context.Context, b bench, make func(dir string) error, measure func(ours, theirs *server) error) error {
	if b.triton == "" {
		row("beside the real server", "not measured: CONCH_TRITON names no command that runs one")
		return nil
	}
	return inTemp(func(dir string) error {
		if err := make(dir); err != nil {
			return err
		}
		ours, err := startServer(ctx, b, dir, sharing)
		if err != nil {
			return err
		}
		defer ours.stop()
		theirs, err := startTriton(ctx, b.triton, dir)
		if err != nil {
			return err
		}
		defer theirs.stop()
		return measure(ours, theirs)
	})
}

// compared are the ratios of some rounds, and what they were made of.
type compared struct {
	rates, tails, costs []float64
	ours                []analyzed
	ourCosts            []cost
	theirCosts          []cost
}

// cost is the processor time of one request, in seconds: the server's, and perf_analyzer's own.
type cost struct{ server, client float64 }

// compare measures both servers one after the other, some times.
func compare(ctx context.Context, b bench, a analysis, ours, theirs *server) (compared, error) {
	var c compared
	for range b.rounds {
		our, ourCost, err := a.costing(ctx, b, ours)
		if err != nil {
			return c, err
		}
		their, theirCost, err := a.costing(ctx, b, theirs)
		if err != nil {
			return c, err
		}
		c.ours, c.ourCosts, c.theirCosts = append(c.ours, our), append(c.ourCosts, ourCost), append(c.theirCosts, theirCost)
		c.rates, c.tails, c.costs = append(c.rates, our.rate/their.rate), append(c.tails, our.p99/their.p99), append(c.costs, ourCost.server/theirCost.server)
	}
	return c, nil
}

// inTurns compares both servers and prints it.
func inTurns(ctx context.Context, b bench, a analysis, ours, theirs *server) error {
	c, err := compare(ctx, b, a, ours, theirs)
	if err != nil {
		return err
	}
	least(a.String(), median(c.rates), a.rateAim(), ratio, rounds(c.rates))
	most("  p99", median(c.tails), 1, ratio, rounds(c.tails))
	row("  processor time for a request", "%8.2f       %s and %s; perf_analyzer's own %s and %s", median(c.costs),
		micros(c.ourCosts, cost.ofServer), micros(c.theirCosts, cost.ofServer), micros(c.ourCosts, cost.ofClient), micros(c.theirCosts, cost.ofClient))
	return nil
}

// rateAim is the share of Triton's rate that a row should have.
func (a analysis) rateAim() float64 {
	if a.protocol == "grpc" && (a.inFlight == 8 || a.inFlight == 32) {
		return 1.35
	}
	return 1.2
}

func rounds(all []float64) string {
	return fmt.Sprintf("rounds from %.2f to %.2f", quantile(all, 0), quantile(all, 1))
}

func (c cost) ofServer() float64 { return c.server }
func (c cost) ofClient() float64 { return c.client }

// micros is the median of a part of some costs.
func micros(all []cost, of func(cost) float64) string {
	var parts []float64
	for _, c := range all {
		parts = append(parts, of(c))
	}
	return fmt.Sprintf("%.0f µs", 1e6*median(parts))
}

// costing measures a row, and what each request of it cost.
func (a analysis) costing(ctx context.Context, b bench, s *server) (analyzed, cost, error) {
	before, err := s.spent(ctx, a.model)
	if err != nil {
		return analyzed{}, cost{}, err
	}
	found, err := a.measure(ctx, b, s)
	if err != nil {
		return analyzed{}, cost{}, err
	}
	after, err := s.spent(ctx, a.model)
	requests := after.requests - before.requests
	return found, cost{server: (after.seconds - before.seconds) / requests, client: found.own / requests}, err
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
