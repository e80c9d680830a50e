package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
)

const (
	reloadRuns = 9
	// reloadAim is what may pass between a save and its serving beyond the model's own load time.
	reloadAim = 150 * time.Millisecond
	// programAim is the same for a program, beyond what it imports: a process is started for it.
	programAim = 300 * time.Millisecond
)

// measureReload saves a config, a model of 10 MB and a Python program, and asks until answers show it.
func measureReload(ctx context.Context, b bench) error {
	dir, err := copyRepository(b.repository)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	repository := filepath.Join(dir, "repository")
	if err := write(repository, model{"weights", weightsConfig, weights(0)}); err != nil {
		return err
	}
	if err := usePython(); err != nil {
		return err
	}
	if err := writeProgram(repository, program{"program", answerConfig, answerSource(0)}); err != nil {
		return err
	}
	s, err := startServer(ctx, b, repository, "--model-control-mode", "poll")
	if err != nil {
		return err
	}
	defer s.stop()
	if err := configReload(s, filepath.Join(repository, "add_sub", "config.pbtxt")); err != nil {
		return err
	}
	if err := modelReload(ctx, s, filepath.Join(repository, "weights")); err != nil {
		return err
	}
	return programReload(ctx, s, filepath.Join(repository, "program"))
}

// configReload changes max_batch_size. To load so small a model takes a millisecond, which is not taken off.
func configReload(s *server, config string) error {
	text, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	var took []time.Duration
	for i := range reloadRuns {
		size := 16 + i
		changed := strings.Replace(string(text), "max_batch_size: 8", fmt.Sprintf("max_batch_size: %d", size), 1)
		began := time.Now()
		if err := os.WriteFile(config, []byte(changed), 0o644); err != nil {
			return err
		}
		wanted := fmt.Sprintf(`"max_batch_size":%d,`, size)
		if err := waitFor(wanted, func() (*http.Response, error) { return http.Get(s.http + "/v2/models/add_sub/config") }); err != nil {
			return err
		}
		took = append(took, time.Since(began))
	}
	most("a config", median(took), reloadAim, ms, "slowest "+ms(quantile(took, 1)))
	return nil
}

const weightsSide = 1600

const weightsConfig = `backend: "onnxruntime"
input [{ name: "X" data_type: TYPE_FP32 dims: [1, 1600] }] output [{ name: "Y" data_type: TYPE_FP32 dims: [1] }]
`

// weights is a model of 10 MB that answers with a number.
func weights(answer float32) []byte {
	m := dense(weightsSide)
	m.Inputs[0].Dims, m.Outputs[0] = onnxtest.Dims(1, weightsSide), onnxtest.Value{Name: "Y", Type: onnxtest.Float, Dims: onnxtest.Dims(1)}
	m.Nodes[0].Outputs = []string{"product"}
	one := dense(1).Initializers[0]
	one.Name, one.Dims, one.Raw = "answer", []int64{1}, floatBytes(answer)
	m.Initializers = append(m.Initializers, one)
	m.Nodes = append(m.Nodes,
		onnxtest.Node{Op: "ReduceMax", Inputs: []string{"product"}, Outputs: []string{"largest"}, Attributes: map[string]any{"keepdims": int64(0)}},
		onnxtest.Node{Op: "Add", Inputs: []string{"largest", "answer"}, Outputs: []string{"Y"}})
	return m.Bytes()
}

// modelReload writes a new model over the old one. Its load time is that of the backend alone.
func modelReload(ctx context.Context, s *server, dir string) error {
	file := filepath.Join(dir, "1", "model.onnx")
	request := `{"inputs":[{"name":"X","datatype":"FP32","shape":[1,1600],"data":[` + strings.Repeat("0,", weightsSide-1) + `0]}]}`
	ask := func() (*http.Response, error) {
		return http.Post(s.http+"/v2/models/weights/infer", "application/json", strings.NewReader(request))
	}
	var served, loads, beyond []time.Duration
	for i := range reloadRuns {
		changed := weights(float32(i + 1))
		began := time.Now()
		if err := os.WriteFile(file, changed, 0o644); err != nil {
			return err
		}
		if err := waitFor(fmt.Sprintf(`"data":[%d.0]`, i+1), ask); err != nil {
			return err
		}
		all := time.Since(began)
		load, err := loadTime(ctx, file)
		if err != nil {
			return err
		}
		served, loads, beyond = append(served, all), append(loads, load), append(beyond, all-load)
	}
	most("a model of 10 MB, beyond its load time", median(beyond), reloadAim, ms,
		fmt.Sprintf("%s in all, slowest %s, load %s", ms(median(served)), ms(quantile(served, 1)), ms(median(loads))))
	return nil
}

// loadTime is what the backend takes for a model alone, with nothing kept from before.
func loadTime(ctx context.Context, file string) (time.Duration, error) {
	config, _ := modelconfig.Parse("config.pbtxt", []byte(weightsConfig))
	b := onnx.New(onnx.Options{Log: quiet()})
	return took(3, func() error {
		m, err := b.Load(ctx, backend.Spec{
			Name: "weights", Version: 1, ModelDir: filepath.Dir(filepath.Dir(file)), VersionDir: filepath.Dir(file),
			File: file, Config: config.Config, Log: quiet(),
		})
		if err != nil {
			return err
		}
		return m.Close()
	})
}

const answerConfig = `backend: "python"
output { name: "Y" data_type: TYPE_INT32 dims: 1 }
input { name: "X" data_type: TYPE_INT32 dims: 1 }
`

// answerSource is a program that answers with a number.
func answerSource(answer int) string {
	return fmt.Sprintf(`import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([%d], np.int32))]) for _ in requests]
`, answer)
}

// programReload saves a program until answers show it. What it imports is NumPy.
func programReload(ctx context.Context, s *server, dir string) error {
	const request = `{"inputs":[{"name":"X","datatype":"INT32","shape":[1],"data":[0]}]}`
	ask := func() (*http.Response, error) {
		return http.Post(s.http+"/v2/models/program/infer", "application/json", strings.NewReader(request))
	}
	var served, imports, beyond []time.Duration
	for i := range reloadRuns {
		began := time.Now()
		if err := os.WriteFile(filepath.Join(dir, "1", "model.py"), []byte(answerSource(i+1)), 0o644); err != nil {
			return err
		}
		if err := waitFor(fmt.Sprintf(`"data":[%d]`, i+1), ask); err != nil {
			return err
		}
		all := time.Since(began)
		imported, err := importTime(ctx)
		if err != nil {
			return err
		}
		served, imports, beyond = append(served, all), append(imports, imported), append(beyond, all-imported)
	}
	most("a Python program, beyond the import of NumPy", median(beyond), programAim, ms,
		fmt.Sprintf("%s in all, slowest %s, import %s", ms(median(served)), ms(quantile(served, 1)), ms(median(imports))))
	return nil
}

// importTime is what Python takes to import NumPy.
func importTime(ctx context.Context) (time.Duration, error) {
	const program = "import time; began = time.perf_counter(); import numpy; print(time.perf_counter() - began)"
	out, err := exec.CommandContext(ctx, "python3", "-c", program).Output()
	if err != nil {
		return 0, fmt.Errorf("import NumPy: %w", err)
	}
	return time.ParseDuration(strings.TrimSpace(string(out)) + "s")
}

// waitFor asks until an answer contains the text. An answer with an error ends it: nothing may fail in the meantime.
func waitFor(wanted string, ask func() (*http.Response, error)) error {
	for began := time.Now(); time.Since(began) < readyLimit; time.Sleep(time.Millisecond) {
		answer, err := ask()
		if err != nil {
			return err
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			return err
		}
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("while reloading: %s: %s", answer.Status, body)
		}
		if strings.Contains(strings.ReplaceAll(string(body), " ", ""), wanted) {
			return nil
		}
	}
	return errors.New("what was saved was never served")
}
