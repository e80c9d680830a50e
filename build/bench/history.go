package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"conch/app/store"
	"conch/engine/histogram"
)

// Aims for reading the history. With the drawing in the page, 24 hours take at most 150 ms.
const (
	historyAim   = 60 * time.Millisecond
	summariesAim = 100 * time.Millisecond
)

// measureHistory reads charts and tables from a day of samples, one a second.
func measureHistory(ctx context.Context, _ bench) error {
	dir, err := os.MkdirTemp("", "conch-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := fillHistory(ctx, dir, "/repository"); err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	now := time.Now()
	chart := func(from, to time.Time) func() error {
		return func() error {
			_, err := s.Metrics(ctx, store.Query{Repository: "/repository", Model: historyModel(0), From: from, To: to, MaxPoints: 300})
			return err
		}
	}
	summaries := func(back time.Duration) func() error {
		return func() error {
			_, err := s.Summaries(ctx, store.SummaryQuery{Repository: "/repository", Models: historyModels(), From: now.Add(-back), To: now, Points: 60})
			return err
		}
	}
	for _, figure := range []struct {
		name string
		read func() error
		aim  time.Duration
	}{
		{"chart of 24 hours", chart(now.Add(-24*time.Hour), now), historyAim},
		{"chart of 5 minutes, 20 hours ago", chart(now.Add(-20*time.Hour), now.Add(-20*time.Hour+5*time.Minute)), historyAim},
		{"table of 20 models, 15 minutes", summaries(15 * time.Minute), summariesAim},
		{"table of 20 models, 24 hours", summaries(24 * time.Hour), summariesAim},
	} {
		took, err := medianOf(9, figure.read)
		if err != nil {
			return err
		}
		most(figure.name, took, figure.aim, ms)
	}
	return nil
}

func medianOf(rounds int, work func() error) (time.Duration, error) {
	var all []time.Duration
	for range rounds {
		begin := time.Now()
		if err := work(); err != nil {
			return 0, err
		}
		all = append(all, time.Since(begin))
	}
	return median(all), nil
}

func historyModel(i int) string { return fmt.Sprintf("model_%02d", i) }

func historyModels() []string {
	list := make([]string, 20)
	for i := range list {
		list[i] = historyModel(i)
	}
	return list
}

// fillHistory writes a history of the last 24 hours of a repository: a sample a second, and a model that
// was busy in all of it among others that were busy now and then.
func fillHistory(ctx context.Context, dir, repository string) error {
	const seconds = 24 * 60 * 60
	now := time.Now().Add(-seconds * time.Second)
	s, err := store.Open(ctx, store.Options{Dir: dir, Now: func() time.Time { return now }})
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	models := historyModels()
	for i := range seconds {
		now = now.Add(time.Second)
		busy := map[string]store.Counters{models[0]: counted(random, 40)}
		if i%7 == 0 {
			busy[models[1+random.IntN(len(models)-1)]] = counted(random, 5)
		}
		s.AddSample(store.Sample{
			Repository: repository, Time: now, Covered: time.Second, CPU: time.Duration(random.IntN(int(time.Second))),
			Memory: 60<<20 + uint64(random.IntN(1<<20)), Clients: busy[models[0]], Models: busy,
		})
		if i%200 == 199 { // a flush rolls up this much, so nothing is left for the one who opens the history
			if err := s.Flush(ctx); err != nil {
				return err
			}
		}
	}
	return s.Close()
}

// counted is a second with about so many requests of about a millisecond.
func counted(random *rand.Rand, mean int) store.Counters {
	n := uint64(mean/2 + random.IntN(mean))
	var latency histogram.Counts
	for index, left := uint32(150), n; left > 0; index += 1 + uint32(random.IntN(4)) {
		part := min(left, 1+uint64(random.IntN(mean)))
		latency.Append(index, part)
		left -= part
	}
	each := n * uint64(time.Millisecond)
	return store.Counters{
		Requests: n, Inferences: n, Executions: n, RequestNs: each, QueueNs: each / 10, InputNs: each / 20, InferNs: each / 2, OutputNs: each / 20,
		Latency: latency,
	}
}
