package control_test

import (
	"strings"
	"testing"

	"conch/engine/cache"
	"conch/engine/control"
	"conch/engine/infer"
)

// Cached answers are dropped together with the build that gave them, even if an ensemble got them from one of its
// models.
func TestCacheForgetsAnOldBuild(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit}, func(b *bench) {
		b.dir.Write(t, "a/config.pbtxt", config("a", "response_cache { enable: true }"))
		b.dir.Write(t, "a/1/model.fake", "one")
		b.dir.Write(t, "e/config.pbtxt", chain("e", "a")+"response_cache { enable: true }")
		b.dir.Write(t, "e/1/", "")
	})
	b.loader.Cache = cache.New(1 << 20)
	b.load(t, "e")
	executions := func(name string) uint64 {
		v, err := b.Version(name, infer.Latest)
		if err != nil {
			t.Fatal(err)
		}
		return v.Counters().Snapshot().Executions
	}
	for range 3 {
		b.wantAnswer(t, "e", "")
	}
	if executions("a") != 1 || executions("e") != 1 {
		t.Errorf("a ran %d times, e %d", executions("a"), executions("e"))
	}
	b.dir.Write(t, "a/1/model.fake", "two")
	b.load(t, "a")
	b.wantAnswer(t, "e", "")
	if executions("a") != 1 || executions("e") != 2 {
		t.Errorf("after a reload of a, it ran %d times, e %d in all: an old answer was given", executions("a"), executions("e"))
	}
	b.dir.Write(t, "a/config.pbtxt", strings.Replace(config("a", "response_cache { enable: true }"), "max", "# comment\nmax", 1))
	b.load(t, "a")
	b.wantAnswer(t, "e", "")
	if executions("a") != 1 {
		t.Errorf("a ran %d times: a comment made the cache forget", executions("a"))
	}
}
