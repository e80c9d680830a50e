package workspace

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/app/api"
	"conch/app/store"
)

// People are told once that a GPU with a model of theirs is nearly full, and again when there was room meanwhile.
func TestNearlyFullGPU(t *testing.T) {
	full := fullGPUs{}
	for i, step := range []struct {
		used, total float64
		want        int
	}{{50, 100, 0}, {90, 100, 1}, {95, 100, 0}, {-1, 100, 0}, {86, 100, 0}, {92, 100, 0}, {10, 100, 0}, {93, 100, 1}, {5, -1, 0}, {5, 0, 0}} {
		texts := full.next([]*api.Gpu{
			{Index: 0, Uuid: "GPU-a", Device: "GPU 0", UsedBytes: 99, TotalBytes: 100}, {Index: 1, Uuid: "GPU-b", Device: "GPU 1", UsedBytes: step.used, TotalBytes: step.total},
		}, []string{"CPU", "GPU 1"})
		if len(texts) != step.want || len(texts) > 0 && !strings.HasPrefix(texts[0], "GPU 1 is nearly full: 9") {
			t.Errorf("step %d: %q", i, texts)
		}
	}
}

// Of a divided GPU the instance counts that models have, and not the whole.
func TestNearlyFullInstance(t *testing.T) {
	divided := func(used float64) []*api.Gpu {
		return []*api.Gpu{{Uuid: "GPU-a", UsedBytes: 95, TotalBytes: 100, Divided: true, Instances: []*api.GpuInstance{
			{Uuid: "MIG-a", Device: "GPU 0", UsedBytes: used, TotalBytes: 10}, {Uuid: "MIG-b", UsedBytes: 10, TotalBytes: 10},
		}}}
	}
	full := fullGPUs{}
	if texts := full.next(divided(5), []string{"GPU 0"}); len(texts) != 0 {
		t.Errorf("half full: %q", texts)
	}
	if texts := full.next(divided(9.5), []string{"GPU 0"}); len(texts) != 1 || !strings.HasPrefix(texts[0], "GPU 0 is nearly full: 95 %") {
		t.Errorf("full: %q", texts)
	}
	if texts := (fullGPUs{}).next(divided(9.96), []string{"GPU 0"}); len(texts) != 1 || !strings.Contains(texts[0], ": 99 % of its memory") {
		t.Errorf("with a little room: %q", texts)
	}
}

// People are told once that the driver has lost a GPU, when it is back, and again when it is lost once more. One whose number another has now is called lost. The engine's message names it.
func TestLostGPU(t *testing.T) {
	kept, err := store.Open(t.Context(), store.Options{Dir: t.TempDir(), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = kept.Close() }()
	s := &openRepository{w: &Workspace{opts: Options{Now: time.Now, Store: kept}}, side: &side{}}
	for i, step := range []struct {
		left    []int32
		lost    []int32
		trouble string
		want    []string
		unread  bool // by an engine that was started again
	}{
		{},
		{lost: []int32{1}, want: []string{"GPU 1 is lost: its driver cannot reach it. Restart the machine to get it back"}},
		{lost: []int32{1}},
		{trouble: "the driver does not answer"},
		{lost: []int32{1}},
		{unread: true},
		{lost: []int32{1}},
		{left: []int32{0, 1}, want: []string{"The driver reaches GPU 1 again. If requests to models there still fail, restart the engine"}},
		{lost: []int32{0, 1}, want: []string{"GPU 0, GPU 1 are lost: their driver cannot reach them. Restart the machine to get them back"}},
		{left: []int32{0, 1}, want: []string{"The driver reaches GPU 0, GPU 1 again. If requests to models there still fail, restart the engine"}},
		{left: []int32{0, 1}, lost: []int32{1}, want: []string{"GPU 1 (lost): its driver cannot reach it. Restart the machine to get it back. Those behind it have moved up by a number until then"}},
		{left: []int32{0, 1}, want: []string{"The driver does not count GPU 1 any more, which it had lost"}},
	} {
		var c change
		s.process.gpuTrouble, s.process.gpusRead = step.trouble, !step.unread
		s.process.gpus = nil
		for _, index := range step.left {
			s.process.gpus = append(s.process.gpus, &api.Gpu{Index: index})
		}
		s.noteLost(step.lost, &c)
		var told []string
		for _, n := range c.notices {
			told = append(told, n.Text)
			if n.Cause != gpusCause {
				t.Errorf("step %d: cause %q: the notice before would stay beside this one", i, n.Cause)
			}
		}
		if !slices.Equal(told, step.want) || !slices.Equal(s.engineSummary().GpusLost, step.lost) {
			t.Errorf("step %d: %q", i, told)
		}
	}
}
