package model_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/cache"
	"conch/engine/infer"
	"conch/engine/model"
)

func loadCached(t *testing.T, b backend.Backend, config string) *model.Version {
	t.Helper()
	src := folder(t, config, nil)
	l := &model.Loader{
		Backends: map[string]backend.Backend{b.Name(): b}, Log: slog.New(slog.DiscardHandler), Cache: cache.New(1 << 20),
	}
	definition, err := l.Define(src)
	if err != nil {
		t.Fatal(err)
	}
	v, err := l.Load(context.Background(), definition, model.VersionDir{Number: 1, Dir: filepath.Join(src.Dir, "1")}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Hits are successes that count neither as an execution nor as an inference, as on Triton 24.10
// (docs/triton/cache.md, "Hits and misses").
func TestCacheHitsAndTheirCounters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, b *backend.Batch) { slow(b) }}
		v := loadCached(t, b, batched+"response_cache { enable: true }")
		other := item("other")
		other.Inputs[0].Data = []byte("12345678")
		var got []byte
		for _, r := range []*infer.Request{item("a"), item("b"), item("c"), item("d"), item("e"), other} {
			err := v.Infer(t.Context(), r, func(resp *infer.Response) error {
				if resp.ID != r.ID || resp.Model != "m" || !resp.Final {
					t.Errorf("%s is answered by %+v", r.ID, resp)
				}
				got = append([]byte(nil), resp.Output("OUT").Data...)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if string(got) != "12345678" {
			t.Errorf("the last answer is %q", got)
		}
		c := v.Counters().Snapshot()
		if c.Success != 6 || c.Inferences != 2 || c.Executions != 2 || c.Hits != 4 || c.Misses != 2 || c.Computed() != 2 {
			t.Errorf("counted %+v", c)
		}
		if c.RequestNs != uint64(2*time.Second) || c.QueueNs != 0 {
			t.Errorf("hits took %v, queued %v", time.Duration(c.RequestNs)-2*time.Second, time.Duration(c.QueueNs))
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A trial asks how long the model takes: the cache neither answers it nor keeps its answer, and no counter shows it.
func TestTrialsRunBesideTheCache(t *testing.T) {
	ran := 0
	b := &fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, b *backend.Batch) { ran++; answerAll(b) }}
	v := loadCached(t, b, batched+"response_cache { enable: true }")
	for _, trial := range []bool{true, false, true, false} {
		r := item("a")
		r.Trial = trial
		if err := v.Infer(t.Context(), r, func(*infer.Response) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if c := v.Counters().Snapshot(); ran != 3 || c.Success != 2 || c.Executions != 1 || c.Hits != 1 || c.Misses != 1 {
		t.Errorf("%d executions, counted %+v", ran, c)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// A failed request is not cached, and a version without the setting has no cache.
func TestWhatIsNotCached(t *testing.T) {
	b := &fake.Backend{}
	b.OnExecute = func(_ context.Context, _ backend.Spec, batch *backend.Batch) {
		batch.FailAll(infer.Errorf(infer.Internal, "boom"))
	}
	for _, config := range []string{batched, batched + "response_cache { enable: true }"} {
		v := loadCached(t, b, config)
		for range 2 {
			if err := v.Infer(t.Context(), item("a"), func(*infer.Response) error { return nil }); err == nil {
				t.Error("no error")
			}
		}
		if c := v.Counters().Snapshot(); c.Executions != 2 || c.Hits != 0 || c.Misses != 0 || c.Failed() != 2 {
			t.Errorf("counted %+v", c)
		}
		if v.Caches() != (config != batched) {
			t.Errorf("caches: %v", v.Caches())
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Instances of a passive group exist but get no requests. A model with only passive instances would never answer.
func TestPassiveInstances(t *testing.T) {
	ran := map[string]int{}
	b := &fake.Backend{OnExecute: func(_ context.Context, _ backend.Spec, batch *backend.Batch) {
		ran[batch.Requests[0].ID]++
		batch.FailAll(infer.Errorf(infer.Internal, "boom"))
	}}
	passive := "{ name: \"idle\" count: 3 kind: KIND_CPU passive: true }"
	_, err := load(b, folder(t, fakeModel+"instance_group ["+passive+"]", nil))
	if infer.CodeOf(err) != infer.Unsupported || b.Instances.Load() != 0 {
		t.Errorf("error = %v, %d instances are left", err, b.Instances.Load())
	}
	v, err := load(b, folder(t, fakeModel+"instance_group [{ count: 1 kind: KIND_CPU }, "+passive+"]", nil))
	if err != nil {
		t.Fatal(err)
	}
	if v.Instances() != 4 {
		t.Errorf("%d instances", v.Instances())
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}
