package tracing_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/infer"
	"conch/engine/kserve/tracing"
)

// count returns how many traces a complete file has.
func count(t *testing.T, path string) int {
	t.Helper()
	return strings.Count(read(t, path), "HTTP_RECV_START")
}

// Traces for a numbered file are on the disk when their requests have ended, whatever the number of traces in
// a file.
func TestTracesDoNotWaitInMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	for name, s := range map[string]tracing.Setting{
		"a large frequency": {LogFrequency: 1 << 31, Count: -1},
		"a large count":     {Count: 1 << 30},
	} {
		s.Level, s.Rate, s.File = tracing.Timestamps|tracing.Tensors, 1, path
		tracer := tracing.New(s, discard, always)
		var before int64
		for range 3 {
			run(t, tracer, "r")
			now, err := os.Stat(path + ".0.part")
			if err != nil || now.Size() <= before {
				t.Fatalf("%s: a trace is not on the disk: %v", name, err)
			}
			before = now.Size()
		}
		tracer.Close()
	}
	if got := count(t, path+".0"); got != 3 {
		t.Errorf("with a large frequency, %d traces", got)
	}
	if got := count(t, path); got != 3 {
		t.Errorf("of a count that is not reached, %d traces", got)
	}
}

// As in Triton, the traces of a setting that is replaced before its count is reached are in the file without a
// number. A request that is under way then adds its trace.
func TestReplacedBeforeItsCount(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	tracer := tracing.New(tracing.Setting{Level: tracing.Timestamps, Rate: 1, Count: 9, File: path}, discard, always)
	underWay := tracer.Sample("e", nil)
	run(t, tracer, "r")
	if _, err := tracer.Update("", set(t, "trace_count", "-1")); err != nil {
		t.Fatal(err)
	}
	underWay.Mark("HTTP_RECV_START")
	underWay.Trace.Begin("e", 1, &infer.Request{})
	underWay.Done()
	run(t, tracer, "r")
	tracer.Close()
	if got := count(t, path); got != 3 {
		t.Errorf("%d traces", got)
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// A request that ends after Close does not damage the files.
func TestLateTraces(t *testing.T) {
	for frequency, name := range map[uint32]string{0: "trace.json", 2: "trace.json.0"} {
		dir := t.TempDir()
		tracer := tracing.New(tracing.Setting{
			Level: tracing.Timestamps, Rate: 1, Count: -1, LogFrequency: frequency, File: filepath.Join(dir, "trace.json"),
		}, discard, always)
		late := tracer.Sample("e", nil)
		run(t, tracer, "r")
		tracer.Close()
		late.Done()
		if got := count(t, filepath.Join(dir, name)); got != 1 {
			t.Errorf("%s has %d traces", name, got)
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("there are %v", files)
		}
	}
}

// The settings of unloaded models do not grow without bound, however many models a client loads, sets and
// unloads. A model that is loaded keeps its settings.
func TestSettingsOfUnloadedModels(t *testing.T) {
	loaded := func(model string) bool { return model == "loaded" || model == "newest" }
	tracer := tracing.New(tracing.Setting{Rate: 1000, Count: -1, File: filepath.Join(t.TempDir(), "t")}, discard, loaded)
	defer tracer.Close()
	update := func(model string) {
		if _, err := tracer.Update(model, set(t, "trace_rate", "5")); err != nil {
			t.Fatal(err)
		}
	}
	update("loaded")
	update("unloaded")
	if tracer.Get("unloaded").Rate != 5 {
		t.Error("the settings of one unloaded model are gone; Triton keeps them")
	}
	for i := range 1000 {
		update(fmt.Sprint("m", i))
	}
	update("newest")
	kept := 0
	for i := range 1000 {
		if tracer.Get(fmt.Sprint("m", i)).Rate == 5 {
			kept++
		}
	}
	if kept > 500 || tracer.Get("loaded").Rate != 5 || tracer.Get("newest").Rate != 5 {
		t.Errorf("%d of 1000 unloaded models have settings; loaded: %d, newest: %d", kept, tracer.Get("loaded").Rate, tracer.Get("newest").Rate)
	}
}

// A change of the global settings that a model's own settings make invalid changes nothing.
func TestChangeIsWholeOrNotAtAll(t *testing.T) {
	tracer := tracing.New(tracing.Setting{Rate: 1000, Count: -1, File: filepath.Join(t.TempDir(), "t")}, discard, always)
	defer tracer.Close()
	if _, err := tracer.Update("m", set(t, "trace_rate", "0")); err != nil {
		t.Fatal(err)
	}
	if _, err := tracer.Update("", set(t, "trace_level", "TIMESTAMPS")); err == nil {
		t.Error("the model's rate is 0, and the change was taken")
	}
	if s := tracer.Get(""); s.Level != 0 {
		t.Errorf("the refused change is in effect: %+v", s)
	}
}

// A file that cannot be written is logged once, not at each request.
func TestUnwritableFileIsLoggedOnce(t *testing.T) {
	for _, frequency := range []uint32{0, 2} {
		var log strings.Builder
		tracer := tracing.New(tracing.Setting{
			Level: tracing.Timestamps, Rate: 1, Count: -1, LogFrequency: frequency, File: filepath.Join(t.TempDir(), "no", "trace.json"),
		}, slog.New(slog.NewTextHandler(&log, nil)), always)
		for range 5 {
			run(t, tracer, "r")
		}
		tracer.Close()
		if got := strings.Count(log.String(), "failed creating trace file"); got != 1 {
			t.Errorf("logged %d times: %s", got, log.String())
		}
	}
}
