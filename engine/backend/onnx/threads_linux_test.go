package onnx_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/hostpolicy"
)

// A number of threads that no machine has a use for is cut before ONNX Runtime creates them; the model serves.
func TestThreadsAreBounded(t *testing.T) {
	most := onnx.MostThreads()
	var log bytes.Buffer
	b := onnx.New(onnx.Options{Library: onnxtest.Library(t), Log: slog.New(slog.NewTextHandler(&log, nil))})
	before := threadsNow(t)
	spec := specOf(t, onnxtest.AddSub(16).Bytes(), addSubConfig(func(cfg *modelconfig.ModelConfig) {
		cfg.Parameters = map[string]*modelconfig.ModelParameter{
			"intra_op_thread_count": {StringValue: "3000"}, "inter_op_thread_count": {StringValue: "3000"}, "execution_mode": {StringValue: "1"},
		}
	}))
	model, err := b.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	if more := threadsNow(t) - before; more > 2*most+64 {
		t.Errorf("%d threads were created; at most %d may be", more, 2*most)
	}
	one(t, instanceOf(t, model), addSubRequest(0, 16))
	for _, key := range []string{"intra_op_thread_count", "inter_op_thread_count"} {
		if !strings.Contains(log.String(), "parameter="+key+" asked=3000 most=") {
			t.Errorf("the log does not say that %s was cut:\n%s", key, log.String())
		}
	}
}

// The pools of the process are cut likewise. There is one set of them in a process, so that only their sizes are looked at.
func TestSharedThreadsAreBounded(t *testing.T) {
	most := onnx.MostThreads()
	pools := onnx.PoolsOf(slog.New(slog.DiscardHandler), "the backend's settings", 100000, most)
	if pools.Intra != most || pools.Inter != most {
		t.Errorf("got %+v, the most is %d", pools, most)
	}
	if pools := onnx.PoolsOf(slog.New(slog.DiscardHandler), "the backend's settings", 0, -1); pools.Intra != 0 || pools.Inter != -1 {
		t.Errorf("got %+v", pools)
	}
}

func threadsNow(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// A session for instances with a host policy has threads of its own, which are bound as the thread that makes it. Instances without one
// have another session.
func TestThreadsAreBound(t *testing.T) {
	status, err := os.ReadFile("/proc/thread-self/status")
	if err != nil {
		t.Fatal(err)
	}
	all := allowedCores(string(status))
	last := all[strings.LastIndexAny(all, ",-")+1:]
	settings, err := hostpolicy.Parse([]string{"mine,cpu-cores=" + last + "-" + last, "wide,cpu-cores=0-3"})
	if err != nil {
		t.Fatal(err)
	}
	mine, err := settings.Policy("mine")
	if err != nil {
		t.Fatal(err)
	}
	b := onnx.New(onnx.Options{Library: onnxtest.Library(t), Log: slog.New(slog.DiscardHandler)})
	spec := specOf(t, onnxtest.AddSub(16).Bytes(), addSubConfig(func(cfg *modelconfig.ModelConfig) {
		cfg.Parameters = map[string]*modelconfig.ModelParameter{"intra_op_thread_count": {StringValue: "3"}}
	}))
	model, err := b.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	before := boundTasks(t, last)
	bound := cpuInstance
	bound.Policy = mine
	var instance backend.Instance
	if failed := mine.Do(func() { instance, err = model.NewInstance(t.Context(), bound) }); failed != nil || err != nil {
		t.Fatal(failed, err)
	}
	defer instance.Close()
	one(t, instance, addSubRequest(0, 16))
	if more := boundTasks(t, last) - before; all != last && more != 2 { // the third is the one that runs the batch
		t.Errorf("%d more threads are bound to processor %s, want 2", more, last)
	}
	held := model.(backend.MemoryReporter).Memory()
	one(t, instanceOf(t, model), addSubRequest(0, 16))
	if more := boundTasks(t, last) - before; all != last && more != 2 {
		t.Errorf("an instance without a policy made threads that are bound: %d", more-2)
	}
	if after := model.(backend.MemoryReporter).Memory(); len(held) != 1 || len(after) != 1 {
		t.Errorf("%v and %v", held, after)
	}
	wide, err := settings.Policy("wide")
	if err != nil {
		t.Fatal(err)
	}
	if got := onnx.IntraOf(wide); got != 4 {
		t.Errorf("%d threads for 4 processors", got)
	}
}

func allowedCores(status string) string {
	_, all, _ := strings.Cut(status, "Cpus_allowed_list:")
	all, _, _ = strings.Cut(strings.TrimSpace(all), "\n")
	return all
}

// boundTasks counts the threads of this process that may run on these processors alone.
func boundTasks(t *testing.T, cores string) (count int) {
	t.Helper()
	files, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if status, err := os.ReadFile(file); err == nil && allowedCores(string(status)) == cores { // a thread may have ended
			count++
		}
	}
	return count
}
