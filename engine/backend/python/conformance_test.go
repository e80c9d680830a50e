package python_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/backendtest"
	"conch/engine/backend/python"
	"conch/engine/tensor"
)

// copies is a model that copies each input to the output with the same ending.
const copies = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [
            pb_utils.InferenceResponse(
                [pb_utils.Tensor("OUT" + tensor.name()[2:], tensor.as_numpy()) for tensor in request.inputs()]
            )
            for request in requests
        ]
`

// completes adds a config to copies.
const completes = copies + `
    @staticmethod
    def auto_complete_config(config):
        config.add_input({"name": "IN", "data_type": "%[1]s", "dims": [%[2]s]})
        config.add_output({"name": "OUT", "data_type": "%[1]s", "dims": [%[2]s]})
        if config.as_dict()["max_batch_size"] == 0:
            config.set_max_batch_size(%[3]d)
        return config
`

// counts answers with 0, 1, … in a thread.
const counts = `
import threading

import numpy as np
import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            number = int(pb_utils.get_input_tensor_by_name(request, "IN").as_numpy()[0, 0])
            threading.Thread(target=count, args=(request.get_response_sender(), number), daemon=True).start()


def count(sender, number):
    for k in range(number):
        if sender.is_cancelled():
            break
        sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([[k]], np.int32))]))
    sender.send(flags=FINAL)
`

// waits takes as many milliseconds as its input says.
const waits = `
import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            time.sleep(int(request.inputs()[0].as_numpy()[0, 0]) / 1000)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", r.inputs()[0].as_numpy())]) for r in requests]
`

// calls asks another model.
const calls = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.ask(request) for request in requests]

    def ask(self, request):
        response = pb_utils.InferenceRequest(
            model_name="%s", inputs=request.inputs(), requested_output_names=["OUT"]
        ).exec()
        if response.has_error():
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(response.error().message()))
        return pb_utils.InferenceResponse([pb_utils.get_output_tensor_by_name(response, "OUT")])
`

func TestConformance(t *testing.T) {
	backendtest.Run(t, backendtest.Subject{
		New:   func(t *testing.T) backend.Backend { return newBackend(t) },
		Types: allTypes(),
		Identity: func(t *testing.T, s backendtest.Shape) backend.Spec {
			return specOf(t, copies, config(s, "IN", "OUT"))
		},
		Pair: func(t *testing.T, s backendtest.Shape) backend.Spec {
			return specOf(t, copies, config(s, "IN0", "OUT0", "IN1", "OUT1"))
		},
		Bare: bare,
		Counts: func(t *testing.T) backend.Spec {
			cfg := config(backendtest.Shape{Type: tensor.Int32, Dims: []int64{1}, MaxBatch: 4}, "IN", "OUT")
			cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: true}
			return specOf(t, counts, cfg)
		},
		Calls: func(t *testing.T, other string) backend.Spec {
			cfg := config(backendtest.Shape{Type: tensor.Int32, Dims: []int64{2}, MaxBatch: 4}, "IN", "OUT")
			return specOf(t, fmt.Sprintf(calls, other), cfg)
		},
		Waits: func(t *testing.T) backend.Spec {
			cfg := config(backendtest.Shape{Type: tensor.Int32, Dims: []int64{1}, MaxBatch: 4}, "IN", "OUT")
			return specOf(t, waits, cfg)
		},
		Unready: func(t *testing.T) backend.Spec {
			return specOf(t, copies+"\n    def is_ready(self):\n        return False\n", config(backendtest.Shape{}))
		},
		Kill: func(_ *testing.T, in backend.Instance) { python.Kill(in) },
		Broken: func(t *testing.T) backend.Spec {
			spec := specOf(t, "", config(backendtest.Shape{}))
			spec.File = filepath.Join(spec.VersionDir, "other.py")
			return spec
		},
	})
}

// bare is a model that completes its config.
func bare(t *testing.T, s backendtest.Shape) backend.Spec {
	dims := strings.Trim(strings.ReplaceAll(fmt.Sprint(s.Dims), " ", ", "), "[]")
	text := fmt.Sprintf(completes, modelconfig.DataType(s.Type), dims, s.MaxBatch)
	return specOf(t, text, config(backendtest.Shape{}))
}
