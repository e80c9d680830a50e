package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"conch/engine/backend/onnx/onnxtest"
)

const plainConfig = `backend: "onnxruntime"
max_batch_size: 8
input [ { name: "INPUT0" data_type: TYPE_INT32 dims: [ 16 ] }, { name: "INPUT1" data_type: TYPE_INT32 dims: [ 16 ] } ]
output [ { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ 16 ] label_filename: "labels.txt" }, { name: "OUTPUT1" data_type: TYPE_INT32 dims: [ 16 ] } ]
dynamic_batching { }
`

const pairConfig = `platform: "ensemble"
max_batch_size: 8
input [ { name: "A" data_type: TYPE_INT32 dims: [ 16 ] }, { name: "B" data_type: TYPE_INT32 dims: [ 16 ] } ]
output [ { name: "C" data_type: TYPE_INT32 dims: [ 16 ] } ]
ensemble_scheduling {
  step [
    { model_name: "m%d" model_version: -1
      input_map { key: "INPUT0" value: "A" } input_map { key: "INPUT1" value: "B" } output_map { key: "OUTPUT0" value: "sum" } },
    { model_name: "m%d" model_version: -1
      input_map { key: "INPUT0" value: "sum" } input_map { key: "INPUT1" value: "B" } output_map { key: "OUTPUT0" value: "C" } }
  ]
}
`

// manyFiles writes 1,000 models of ten files each, every tenth an ensemble.
func manyFiles(dir string) error {
	graph := onnxtest.AddSub("batch", 16).Bytes()
	for i := range 1000 {
		m := model{name: fmt.Sprint("m", i), config: plainConfig, graph: graph}
		files := 2
		if i%10 == 9 {
			m.config, m.graph, files = fmt.Sprintf(pairConfig, i-1, i-2), nil, 1
		}
		if err := write(dir, m); err != nil {
			return err
		}
		for ; files < 10; files++ {
			name := fmt.Sprintf("%s/note%d.txt", m.name, files)
			if files == 9 {
				name = m.name + "/labels.txt"
			}
			if err := writeFile(dir, name, "a\nb\n"); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeFile(dir, name, text string) error {
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
}

func measureCheck(ctx context.Context, b bench) error {
	return inTemp(func(dir string) error {
		if err := manyFiles(dir); err != nil {
			return err
		}
		var largest float64
		middle, err := took(5, func() error {
			bytes, err := checked(ctx, b, dir)
			largest = max(largest, bytes)
			return err
		})
		if err != nil {
			return err
		}
		most("from start to end, disk warm", middle, time.Second, ms)
		most("memory at its highest", largest, 200e6, mb)
		return nil
	})
}

// checked runs conch check and tells its memory at the highest.
func checked(ctx context.Context, b bench, dir string) (bytes float64, err error) {
	cmd := exec.CommandContext(ctx, b.binary, "check", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("conch check: %w: %.500s", err, out)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, nil
	}
	const unit = 1024 // of Linux; macOS counts bytes
	if runtime.GOOS == "darwin" {
		return float64(usage.Maxrss), nil
	}
	return float64(usage.Maxrss) * unit, nil
}
