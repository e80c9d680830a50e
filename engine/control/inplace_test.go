package control_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/infer"
)

func group(count int) string {
	return fmt.Sprintf("instance_group [{ count: %d kind: KIND_CPU }]", count)
}

// Instances are added and removed without a load. Requests and counters go on
// (docs/triton/repository.md, "What a change does").
func TestInstancesChangeInPlace(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"*"}}, func(b *bench) { b.add(t, "a", "one") })
	ctx, stop := context.WithCancel(t.Context())
	var answered atomic.Uint64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for ctx.Err() == nil {
				if _, err := b.ask("a", infer.Latest); err != nil {
					t.Errorf("request was lost: %v", err)
					return
				}
				answered.Add(1)
			}
		})
	}
	for _, count := range []int{3, 1, 2, 5, 1, 4, 2, 1, 3} {
		b.dir.Write(t, "a/config.pbtxt", config("a", group(count)))
		b.load(t, "a")
		if s, _ := b.Status("a"); s.Instances != count {
			t.Errorf("%d instances, want %d", s.Instances, count)
		}
		cfg, err := b.Config("a")
		if err != nil || cfg.InstanceGroup[0].Count != int32(count) {
			t.Errorf("config says %v, %v", cfg.GetInstanceGroup(), err)
		}
	}
	stop()
	all.Wait()
	if n := b.fake.Loads.Load(); n != 1 {
		t.Errorf("%d loads, want 1", n)
	}
	b.until(t, "three instances", func() bool { return b.fake.Instances.Load() == 3 })
	v, err := b.Version("a", infer.Latest)
	if err != nil {
		t.Fatal(err)
	}
	if s := v.Counters().Snapshot(); s.Success != answered.Load() || v.Counters().Overall().Rest.Success != answered.Load() {
		t.Errorf("counted %d of %d, overall %d", s.Success, answered.Load(), v.Counters().Overall().Rest.Success)
	}

	b.dir.Write(t, "a/1/model.fake", "two")
	b.load(t, "a")
	b.wantAnswer(t, "a", "two")
	b.until(t, "one model held", func() bool { return b.fake.Models.Load() == 1 && b.fake.Instances.Load() == 3 })
	v, err = b.Version("a", infer.Latest)
	if err != nil {
		t.Fatal(err)
	}
	b.until(t, "settled counters", func() bool { return v.Counters().Overall().Rest.Success == answered.Load()+1 })
	if err := b.Unload("a", false); err != nil {
		t.Fatal(err)
	}
	b.until(t, "all freed", func() bool { return b.fake.Models.Load() == 0 && b.fake.Instances.Load() == 0 })
}

// An execution on an instance that both versions share ends before the instance is freed, even if the new
// version is unloaded meanwhile.
func TestUnloadWaitsForTheVersionBefore(t *testing.T) {
	inside, goOn := make(chan struct{}), make(chan struct{})
	b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"*"}}, func(b *bench) {
		b.dir.Write(t, "a/config.pbtxt", config("a", group(1)))
		b.dir.Write(t, "a/1/model.fake", "one")
		b.fake.OnExecute = func(_ context.Context, _ backend.Spec, batch *backend.Batch) {
			close(inside)
			<-goOn
			if b.fake.Instances.Load() == 0 || b.fake.Models.Load() == 0 {
				batch.FailAll(infer.Errorf(infer.Internal, "freed under a running request"))
				return
			}
			out := batch.Requests[0].Inputs[0]
			out.Name = "OUT"
			batch.Respond(0, &infer.Response{Final: true, Outputs: append(batch.Requests[0].Inputs[:0:0], out)})
		}
	})
	ended := make(chan error)
	go func() {
		_, err := b.ask("a", infer.Latest)
		ended <- err
	}()
	<-inside
	b.dir.Write(t, "a/config.pbtxt", config("a", group(2)))
	b.load(t, "a")
	if err := b.Unload("a", false); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	b.until(t, "all freed", func() bool { return b.fake.Models.Load() == 0 && b.fake.Instances.Load() == 0 })
}

func TestUpdateThatFailsKeepsTheInstances(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, LoadModels: []string{"*"}}, func(b *bench) { b.add(t, "a", "one") })
	b.loader.StrictGPU.Store(true)
	before, _ := b.Status("a")
	b.dir.Write(t, "a/config.pbtxt", config("a", "instance_group [{ count: 4 kind: KIND_GPU }]"))
	err := b.Load(t.Context(), "a", control.Request{})
	const want = "load failed for model 'a': version 1 is at READY state: Invalid argument: instance group a_0 of model a has kind KIND_GPU but no GPUs are available;\n"
	if err == nil || err.Error() != want {
		t.Errorf("load = %v\nwant %s", err, want)
	}
	s, _ := b.Status("a")
	if s.Instances != before.Instances || !strings.Contains(s.LoadError, "KIND_GPU") || !s.Versions[0].NewestFailed {
		t.Errorf("status %+v", s)
	}
	if s.WithoutStrict != "instance group a_0 asks for KIND_GPU and runs on the CPU here, because this machine has no NVIDIA GPU that can be used" {
		t.Errorf("without --strict-gpu: %q", s.WithoutStrict)
	}
	b.wantAnswer(t, "a", "one")
	b.wantIndex(t, "a/1 READY")
}
