package model_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/infer"
	"conch/engine/model"
	"conch/engine/tensor"
)

// wide is the width of the benchmark's layer: so wide that its weights do not fit into a core's cache, and a batch costs
// little more than one item.
const wide = 1024

// dense is a product with a square of weights.
func dense() onnxtest.Model {
	weights := make([]byte, 0, 4*wide*wide)
	for i := range wide * wide {
		weights = binary.LittleEndian.AppendUint32(weights, math.Float32bits(float32(i%7)/7))
	}
	return onnxtest.Model{
		Inputs:       []onnxtest.Value{{Name: "X", Type: onnxtest.Float, Dims: onnxtest.Dims("n", wide)}},
		Outputs:      []onnxtest.Value{{Name: "Y", Type: onnxtest.Float, Dims: onnxtest.Dims("n", wide)}},
		Initializers: []onnxtest.Initializer{{Name: "w", Type: onnxtest.Float, Dims: []int64{wide, wide}, Raw: weights}},
		Nodes:        []onnxtest.Node{{Op: "MatMul", Inputs: []string{"X", "w"}, Outputs: []string{"Y"}}},
	}
}

// loadDense makes a version of it with this scheduling.
func loadDense(b *testing.B, scheduling string) *model.Version {
	b.Helper()
	be := onnx.New(onnx.Options{Library: onnxtest.Library(b), Log: slog.New(slog.DiscardHandler)})
	src := model.Source{Name: "m", Dir: filepath.Join(b.TempDir(), "m")}
	src.ConfigPath = filepath.Join(src.Dir, "config.pbtxt")
	src.ConfigText = fmt.Appendf(nil, `backend: "onnxruntime" instance_group [{ count: 1 kind: KIND_CPU }]
input [{ name: "X" data_type: TYPE_FP32 dims: [%d] }] output [{ name: "Y" data_type: TYPE_FP32 dims: [%d] }]
%s`, wide, wide, scheduling)
	dir := model.VersionDir{Number: 1, Dir: filepath.Join(src.Dir, "1")}
	if err := os.MkdirAll(dir.Dir, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir.Dir, "model.onnx"), dense().Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	l := &model.Loader{Backends: map[string]backend.Backend{be.Name(): be}, Log: slog.New(slog.DiscardHandler)}
	definition, err := l.Define(src)
	if err != nil {
		b.Fatal(err)
	}
	v, err := l.Load(context.Background(), definition, dir, func(string) {})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { v.Close() })
	return v
}

// caller keeps a version busy with requests of so many items, from so many clients.
type caller struct {
	version *model.Version
	clients int
	items   int64
	done    int64 // items
	took    time.Duration
	waits   []time.Duration // of the requests
}

// call runs the clients for a while.
func (c *caller) call(b *testing.B, for_ time.Duration) {
	began := time.Now()
	end := began.Add(for_)
	waits := make([][]time.Duration, c.clients)
	var all sync.WaitGroup
	for i := range c.clients {
		all.Go(func() {
			data, from := make([]byte, 4*wide*c.items), make([]byte, 4*wide*c.items)
			r := &infer.Request{Inputs: []tensor.Tensor{{Name: "X", Type: tensor.FP32, Shape: tensor.Shape{c.items, wide}, Data: data}}}
			for now := began; now.Before(end); {
				copy(data, from) // what nobody has written lately is in every cache, which no request is
				if err := c.version.Infer(context.Background(), r, func(*infer.Response) error { return nil }); err != nil {
					b.Error(err)
				}
				then := now
				now = time.Now()
				waits[i] = append(waits[i], now.Sub(then))
			}
		})
	}
	all.Wait()
	c.took += time.Since(began)
	for _, list := range waits {
		c.done += int64(len(list)) * c.items
		c.waits = append(c.waits, list...)
	}
}

func (c *caller) rate() float64 { return float64(c.done) / c.took.Seconds() }

func (c *caller) percentile(p float64) time.Duration {
	slices.Sort(c.waits)
	return c.waits[int(p*float64(len(c.waits)-1))]
}

// BenchmarkBatcher is 32 clients of one item each beside one that sends batches of the best size to the same model without a
// scheduler in between, turn by turn, so that a busy machine is as busy for both. "of-best" is the ratio of their throughputs; "p99-runs" is
// the 99th percentile of a client's wait in runs of the best size, the delay not counted.
func BenchmarkBatcher(b *testing.B) {
	plain := loadDense(b, "max_batch_size: 64")
	best := bestSize(b, plain)
	for name, c := range map[string]struct {
		scheduling string
		delay      time.Duration
	}{
		"no delay, up to 16":   {"max_batch_size: 16 dynamic_batching {}", 0},
		"no delay, up to 32":   {"max_batch_size: 32 dynamic_batching {}", 0},
		"delay 1 ms, up to 16": {"max_batch_size: 16 dynamic_batching { max_queue_delay_microseconds: 1000 }", time.Millisecond},
		"delay 1 ms, up to 32": {"max_batch_size: 32 dynamic_batching { max_queue_delay_microseconds: 1000 }", time.Millisecond},
	} {
		b.Run(name, func(b *testing.B) {
			direct := &caller{version: plain, clients: 1, items: best}
			clients := &caller{version: loadDense(b, c.scheduling), clients: 32, items: 1}
			const turn = 20 * time.Millisecond
			clients.call(b, turn)
			*clients = caller{version: clients.version, clients: 32, items: 1}
			for b.Loop() {
				direct.call(b, turn)
				clients.call(b, turn)
			}
			b.ReportMetric(float64(best), "best-size")
			b.ReportMetric(clients.rate()/direct.rate(), "of-best")
			b.ReportMetric(float64(clients.percentile(0.99)-c.delay)/float64(direct.percentile(0.5)), "p99-runs")
			s := clients.version.Counters().Snapshot()
			b.ReportMetric(float64(s.Inferences)/float64(s.Executions), "mean-batch")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// bestSize is the batch size with the largest throughput, called directly.
func bestSize(b *testing.B, v *model.Version) int64 {
	b.Helper()
	best, most := int64(1), 0.0
	for size := int64(1); size <= 32; size *= 2 {
		c := &caller{version: v, clients: 1, items: size}
		c.call(b, 20*time.Millisecond)
		c.call(b, 100*time.Millisecond)
		if rate := c.rate(); rate > most {
			best, most = size, rate
		}
	}
	return best
}
