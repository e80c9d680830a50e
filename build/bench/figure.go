package main

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// row prints a figure that has no aim.
func row(name, format string, args ...any) {
	fmt.Printf("  %-40s %s\n", name, fmt.Sprintf(format, args...))
}

// number is a figure with a bound.
type number interface{ ~int64 | ~float64 }

// most prints a figure that should not be above its aim, with what else is known of it.
func most[N number](name string, got, aim N, show func(N) string, more ...string) {
	judged(name, show(got), "at most "+show(aim), got <= aim, more)
}

// least prints a figure that should not be below its aim.
func least[N number](name string, got, aim N, show func(N) string, more ...string) {
	judged(name, show(got), "at least "+show(aim), got >= aim, more)
}

func judged(name, got, aim string, met bool, more []string) {
	missed := ""
	if !met {
		missed = "  MISSED"
	}
	line := fmt.Sprintf("  %-40s %-11s aim: %s%s", name, got, aim, missed)
	for _, m := range more {
		line += "; " + m
	}
	fmt.Println(line)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1e3) }
func us(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/1e3) }
func mb(bytes float64) string   { return fmt.Sprintf("%.0f MB", bytes/1e6) }
func ratio(r float64) string    { return fmt.Sprintf("%.3f", r) }
func count(n float64) string    { return fmt.Sprintf("%.1f", n) }

func median[N number](all []N) N { return quantile(all, 0.5) }

// quantile is 0 of nothing, which a busy machine may leave of a short window.
func quantile[N number](all []N, q float64) N {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// pair is what two ways of doing the same took: the median of each, and of their quotients round by round, which other work
// on the machine disturbs least.
type pair struct {
	ours, peer time.Duration
	quotient   float64 // ours / peer
	difference time.Duration
	// processor is the quotient by the processor time of the whole process, which work of others disturbs less still.
	processor float64
}

const (
	// patience is when a comparison is content with fewer rounds: other work on the machine can make a round last long.
	patience     = 20 * time.Second
	fewestRounds = 5
)

// inTurn measures two ways in rounds, each first every other time, after one round for warming up.
func inTurn(rounds int, ours, peer func() error) (pair, error) {
	var all, busy [2][]time.Duration
	ways := [2]func() error{ours, peer}
	start := time.Now()
	for round := range rounds + 1 {
		if round > fewestRounds && time.Since(start) > patience {
			break
		}
		for k := range ways {
			which := (k + round) % 2
			began, worked := time.Now(), processorTime()
			if err := ways[which](); err != nil {
				return pair{}, err
			}
			if round > 0 {
				all[which] = append(all[which], time.Since(began))
				busy[which] = append(busy[which], processorTime()-worked)
			}
		}
	}
	var differences []time.Duration
	for i := range all[0] {
		differences = append(differences, all[0][i]-all[1][i])
	}
	return pair{
		ours: median(all[0]), peer: median(all[1]), difference: median(differences),
		quotient: median(quotients(all)), processor: median(quotients(busy)),
	}, nil
}

// quotients divide round by round.
func quotients(of [2][]time.Duration) []float64 {
	var all []float64
	for i := range of[0] {
		all = append(all, float64(of[0][i])/float64(max(of[1][i], 1)))
	}
	return all
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// times repeats something; the error is the first.
func times(n int, do func() error) func() error {
	return func() error {
		for range n {
			if err := do(); err != nil {
				return err
			}
		}
		return nil
	}
}

// took is the median time of several runs, after one for warming up.
func took(rounds int, do func() error) (time.Duration, error) {
	var all []time.Duration
	for round := range rounds + 1 {
		began := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		if round > 0 {
			all = append(all, time.Since(began))
		}
	}
	return median(all), nil
}

// allocations is how many one run makes.
func allocations(runs int, do func() error) (float64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := times(runs, do)(); err != nil {
		return 0, err
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(runs), nil
}
