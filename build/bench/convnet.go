package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/tensor"
)

const netConfig = `backend: "onnxruntime" max_batch_size: 8 instance_group [{ count: 1 kind: KIND_CPU }]
input [{ name: "X" data_type: TYPE_FP32 dims: [3, 224, 224] }] output [{ name: "Y" data_type: TYPE_FP32 dims: [1000] }]
`

var picture = tensor.Tensor{Name: "X", Type: tensor.FP32, Shape: tensor.Shape{1, 3, 224, 224}}

func measureConvNet(context.Context, bench) error {
	return inTemp(func(dir string) error {
		e, stop, err := engineOf(dir, model{"net", netConfig, onnxtest.ResNet50().Bytes()})
		if err != nil {
			return err
		}
		defer stop()
		for _, c := range []struct {
			items        int64
			rounds, runs int
		}{{1, 41, 1}, {8, 9, 1}} {
			input := batch(picture, c.items)
			d, err := openDirect(filepath.Join(dir, "net", "1", "model.onnx"), input)
			if err != nil {
				return err
			}
			p, err := inTurn(c.rounds, times(c.runs, asking(e, "net", []tensor.Tensor{input})), times(c.runs, d.run))
			d.close()
			if err != nil {
				return err
			}
			runs := time.Duration(c.runs)
			least(fmt.Sprintf("batch of %d, throughput of the C API = 1", c.items), 1/p.quotient, 0.98, ratio,
				ms(p.ours/runs)+" and "+ms(p.peer/runs)+" a run", "by processor time "+ratio(1/p.processor))
		}
		return nil
	})
}

// measureOptimized loads the net as the engine does, where it was never loaded and where it was.
func measureOptimized(ctx context.Context, _ bench) error {
	return inTemp(func(dir string) error {
		if err := write(dir, model{"net", netConfig, onnxtest.ResNet50().Bytes()}); err != nil {
			return err
		}
		config, _ := modelconfig.Parse("config.pbtxt", []byte(netConfig))
		spec := backend.Spec{
			Name: "net", Version: 1, ModelDir: filepath.Join(dir, "net"), VersionDir: filepath.Join(dir, "net", "1"),
			File: filepath.Join(dir, "net", "1", "model.onnx"), Config: config.Config, Log: quiet(),
		}
		kept := filepath.Join(dir, "kept")
		load := func() error {
			b := onnx.New(onnx.Options{Log: quiet(), OptimizedDir: kept})
			m, err := b.Load(ctx, spec)
			if err != nil {
				return err
			}
			return m.Close()
		}
		var first, second []time.Duration
		for range 5 {
			if err := os.RemoveAll(kept); err != nil {
				return err
			}
			for _, into := range []*[]time.Duration{&first, &second} {
				began := time.Now()
				if err := load(); err != nil {
					return err
				}
				*into = append(*into, time.Since(began))
				waitKept(kept)
			}
		}
		least("first load / second, which is kept on disk", float64(median(first))/float64(median(second)), 3, ratio,
			ms(median(first))+" and "+ms(median(second)))
		return nil
	})
}

// waitKept waits until what was optimized has its final name.
func waitKept(dir string) {
	for began := time.Now(); time.Since(began) < readyLimit; time.Sleep(time.Millisecond) {
		if found, err := filepath.Glob(filepath.Join(dir, "[0-9a-f]*", "manifest.json")); err == nil && len(found) > 0 {
			return
		}
	}
}
