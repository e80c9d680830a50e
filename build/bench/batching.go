package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"time"

	"conch/engine"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/tensor"
)

// denseSize makes a run of a full batch last some milliseconds, as those of real models do.
const denseSize = 2048

// dense is a layer for which a batch costs little more than one item: a product with a square of weights.
func dense(size int) onnxtest.Model {
	weights := make([]byte, 0, 4*size*size)
	for i := range size * size {
		weights = append(weights, floatBytes(float32(i%7)/7)...)
	}
	return onnxtest.Model{
		Inputs:       []onnxtest.Value{{Name: "X", Type: onnxtest.Float, Dims: onnxtest.Dims("n", size)}},
		Outputs:      []onnxtest.Value{{Name: "Y", Type: onnxtest.Float, Dims: onnxtest.Dims("n", size)}},
		Initializers: []onnxtest.Initializer{{Name: "w", Type: onnxtest.Float, Dims: []int64{int64(size), int64(size)}, Raw: weights}},
		Nodes:        []onnxtest.Node{{Op: "MatMul", Inputs: []string{"X", "w"}, Outputs: []string{"Y"}}},
	}
}

func floatBytes(f float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(f)) }

func denseConfig(most int, more string) string {
	return fmt.Sprintf(`backend: "onnxruntime" max_batch_size: %d instance_group [{ count: 1 kind: KIND_CPU }]
input [{ name: "X" data_type: TYPE_FP32 dims: [%d] }] output [{ name: "Y" data_type: TYPE_FP32 dims: [%d] }]
`, most, denseSize, denseSize) + more
}

func denseInput(name string) tensor.Tensor {
	return tensor.Tensor{Name: name, Type: tensor.FP32, Shape: tensor.Shape{1, denseSize}}
}

const (
	batchClients = 32
	batchDelay   = time.Millisecond
	batchWindow  = 120 * time.Millisecond
)

func measureBatching(ctx context.Context, _ bench) error {
	return inTemp(func(dir string) error {
		scheduling := fmt.Sprintf("dynamic_batching { max_queue_delay_microseconds: %d }", batchDelay.Microseconds())
		e, stop, err := engineOf(dir, model{"layer", denseConfig(batchClients, scheduling), dense(denseSize).Bytes()})
		if err != nil {
			return err
		}
		defer stop()
		file := filepath.Join(dir, "layer", "1", "model.onnx")
		size, err := bestSize(file)
		if err != nil {
			return err
		}
		best, err := openDirect(file, batch(denseInput("X"), size))
		if err != nil {
			return err
		}
		defer best.close()
		largest, err := openDirect(file, batch(denseInput("X"), batchClients))
		if err != nil {
			return err
		}
		defer largest.close()
		return printBatching(ctx, e, peers{size, best, largest})
	})
}

// peers are the model called directly: with the batch that gives most, and with the largest.
type peers struct {
	size          int64 // of the best
	best, largest *direct
}

// bestSize is the batch that gives most items a second when the model is called directly.
func bestSize(file string) (best int64, err error) {
	most := 0.0
	for size := int64(1); size <= batchClients; size *= 2 {
		d, err := openDirect(file, batch(denseInput("X"), size))
		if err != nil {
			return 0, err
		}
		each, err := took(5, times(40, d.run))
		d.close()
		if err != nil {
			return 0, err
		}
		if items := float64(size) / each.Seconds(); items > most {
			best, most = size, items
		}
	}
	return best, nil
}

// printBatching lets 32 clients ask and one caller call, turn by turn.
func printBatching(ctx context.Context, e *engine.Engine, p peers) error {
	var shares, clients, caller, waits []float64
	var slow, bounds []time.Duration
	for range 25 {
		served, err := crowd(ctx, e)
		if err != nil {
			return err
		}
		best, err := alone(p.best)
		if err != nil {
			return err
		}
		largest, err := alone(p.largest)
		if err != nil {
			return err
		}
		items := max(best.rate*float64(p.size), 1)
		shares, clients, caller = append(shares, served.rate/items), append(clients, served.rate), append(caller, items)
		slow, bounds = append(slow, served.p99), append(bounds, batchDelay+2*largest.p50)
		waits = append(waits, float64(served.p99)/float64(batchDelay+2*largest.p99))
	}
	least("items a second, best batch directly = 1", median(shares), 0.9, ratio,
		fmt.Sprintf("%.0f and %.0f a second; the best batch is %d", median(clients), median(caller), p.size))
	// On a machine that does other work too, runs have a p99 themselves.
	most("p99, delay and two runs of a full batch", median(slow), median(bounds), ms, "with the p99 of runs as their time = 1: "+ratio(median(waits)))
	return nil
}

// crowd is 32 clients with one item each, for a window of time.
func crowd(ctx context.Context, e *engine.Engine) (rate, error) {
	inputs := []tensor.Tensor{batch(denseInput("X"), 1)}
	return closedLoop(ctx, func(context.Context) error { return asking(e, "layer", inputs)() }, batchClients, batchWindow)
}

// alone calls the model with whole batches for the same time; its rate is of batches.
func alone(d *direct) (rate, error) {
	var each []time.Duration
	for end := time.Now().Add(batchWindow); time.Now().Before(end); {
		began := time.Now()
		if err := d.run(); err != nil {
			return rate{}, err
		}
		each = append(each, time.Since(began))
	}
	return rate{float64(len(each)) / batchWindow.Seconds(), quantile(each, 0.5), quantile(each, 0.99)}, nil
}

// quiet is a logger for parts that would otherwise report on what is measured.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
