//go:build unix

package python_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// waitsForFile is a model that answers when there is a file.
const waitsForFile = `
import os
import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        while not os.path.exists(%q):
            time.sleep(0.005)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", pb_utils.get_input_tensor_by_name(r, "IN").as_numpy())]) for r in requests]
`

// While a model works, who made its request may use the request's memory for something else: the process has a copy.
func TestInputsAreTakenBeforeTheAnswer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "go on")
	in := loadModel(t, fmt.Sprintf(waitsForFile, file), flat(tensor.Int32))
	one := tensor.Tensor{Name: "IN", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: []byte{7, 0, 0, 0}}
	taken, executed := make(chan struct{}), make(chan struct{})
	answer := byte(0)
	batch := backend.NewBatch([]*infer.Request{{Batch: 1, Inputs: []tensor.Tensor{one}, Taken: func() { close(taken) }}},
		func(_ int, r *infer.Response) {
			answer = r.Outputs[0].Data[0]
			if r.Release != nil {
				r.Release()
			}
		}, func(_ int, err error) { t.Error(err) })
	go func() {
		in.Execute(t.Context(), batch)
		close(executed)
	}()
	select {
	case <-taken:
		one.Data[0] = 8
	case <-executed:
		t.Error("it did not wait")
	case <-time.After(time.Minute):
		t.Error("nobody is told that the inputs were taken")
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if <-executed; answer != 7 {
		t.Errorf("it answers %d", answer)
	}
}
