package model_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/infer"
	"conch/engine/model"
	"conch/engine/sched"
)

// limitedLoader loads models whose executions take a second, under a limiter.
func limitedLoader(given ...sched.Supply) *model.Loader {
	b := &fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, b *backend.Batch) { slow(b) }}
	return &model.Loader{Backends: map[string]backend.Backend{b.Name(): b}, Log: slog.New(slog.DiscardHandler), Limiter: sched.NewLimiter(given)}
}

func loadWith(t *testing.T, l *model.Loader, config string) (*model.Version, error) {
	t.Helper()
	src := folder(t, config, nil)
	definition, err := l.Define(src)
	if err != nil {
		t.Fatal(err)
	}
	return l.Load(t.Context(), definition, model.VersionDir{Number: 1, Dir: filepath.Join(src.Dir, "1")}, func(string) {})
}

func needing(resources string) string {
	return batched[:len(batched)-len("}]\n")] + " rate_limiter { resources [" + resources + "] } }]\n"
}

// Two models with any schedulers share resources. Without a limiter, and without resources, no request waits.
func TestRateLimiterAcrossModels(t *testing.T) {
	const r = "{ name: \"R\" count: 2 }"
	for name, c := range map[string]struct {
		first, second string
		off           bool
		want          time.Duration
	}{
		"default schedulers": {first: needing(r), second: needing(r), want: 2 * time.Second},
		"dynamic batching":   {first: needing(r) + "dynamic_batching {}", second: needing(r), want: 2 * time.Second},
		"sequence batching": {
			first: needing(r) + "sequence_batching { oldest { max_candidate_sequences: 2 } }", second: needing(r) + "sequence_batching {}", want: 2 * time.Second,
		},
		"no needs": {first: needing(r), second: batched, want: time.Second},
		"off":      {first: needing(r), second: needing(r), off: true, want: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := limitedLoader()
				if c.off {
					l.Limiter = nil
				}
				began := time.Now()
				var all sync.WaitGroup
				for _, config := range []string{c.first, c.second} {
					v, err := loadWith(t, l, config)
					if err != nil {
						t.Fatal(err)
					}
					defer v.Close()
					r := item("a")
					r.Sequence = infer.Sequence{ID: 1, Start: true, End: true}
					all.Go(func() {
						if err := v.Infer(t.Context(), r, func(*infer.Response) error { return nil }); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				if took := time.Since(began); took != c.want {
					t.Errorf("took %v, want %v", took, c.want)
				}
			})
		})
	}
}

// Rule L22 holds at load. A model that was refused or unloaded does not count any more. A passive instance needs no resources.
func TestRateLimiterAtLoad(t *testing.T) {
	l := limitedLoader(sched.Supply{Name: "R", Count: 1, Device: sched.AnyDevice})
	_, err := loadWith(t, l, needing("{ name: \"R\" count: 2 }"))
	const want = `Resource count for "R" is limited to 1 which will prevent scheduling of one or more model instances, the minimum required count is 2`
	if infer.CodeOf(err) != infer.InvalidArg || err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
	l.Limiter = sched.NewLimiter(nil)
	passive := batched[:len(batched)-1-len("]")] + ", { count: 1 kind: KIND_CPU passive: true rate_limiter { resources [{ name: \"R\" count: 1 global: true }] } }]\n"
	for _, config := range []string{needing("{ name: \"R\" count: 1 }"), passive, needing("{ name: \"R\" count: 7 }")} {
		v, err := loadWith(t, l, config)
		if err != nil {
			t.Fatalf("%s\n%v", config, err)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
	v, err := loadWith(t, l, needing("{ name: \"R\" count: 1 global: true }"))
	if err != nil {
		t.Fatalf("a global R after those of the device have gone: %v", err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}
