package onnx_test

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
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
