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

const denseSize = 1024

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
	batchDelay   = 500 * time.Microsecond
	batchWindow  = 400 * time.Millisecond
)

func measureBatching(ctx context.Context, _ bench) error {
	return inTemp(func(dir string) error {
		scheduling := fmt.Sprintf("dynamic_batching { preferred_batch_size: [%d] max_queue_delay_microseconds: %d }", batchClients, batchDelay.Microseconds())
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
		d, err := openDirect(file, batch(denseInput("X"), size))
		if err != nil {
			return err
		}
		defer d.close()
		return printBatching(ctx, e, d, size)
	})
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
func printBatching(ctx context.Context, e *engine.Engine, d *direct, size int64) error {
	var shares, clients, caller []float64
	var runs, slow []time.Duration
	for range 9 {
		served, err := crowd(ctx, e)
		if err != nil {
			return err
		}
		items, run, err := alone(d, size)
		if err != nil {
			return err
		}
		shares, clients, caller = append(shares, served.rate/items), append(clients, served.rate), append(caller, items)
		runs, slow = append(runs, run), append(slow, served.p99)
	}
	least("items a second, best batch directly = 1", median(shares), 0.9, ratio,
		fmt.Sprintf("%.0f and %.0f a second; the best batch is %d", median(clients), median(caller), size))
	// A run of the largest batch, which is what a request may have to wait for twice.
	most("p99", median(slow), batchDelay+2*median(runs), ms, "aim: delay and two runs of "+ms(median(runs)))
	return nil
}

// crowd is 32 clients with one item each, for a window of time.
func crowd(ctx context.Context, e *engine.Engine) (rate, error) {
	inputs := []tensor.Tensor{batch(denseInput("X"), 1)}
	return closedLoop(ctx, func(context.Context) error { return asking(e, "layer", inputs)() }, batchClients, batchWindow)
}

// alone calls the model with whole batches for the same time.
func alone(d *direct, size int64) (items float64, run time.Duration, err error) {
	began := time.Now()
	n := 0
	for ; time.Since(began) < batchWindow; n++ {
		if err := d.run(); err != nil {
			return 0, 0, err
		}
	}
	each := time.Since(began) / time.Duration(n)
	return float64(size) / each.Seconds(), each, nil
}

// quiet is a logger for parts that would otherwise report on what is measured.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
