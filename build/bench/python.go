package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// program is a Python model to be written and served.
type program struct{ name, config, source string }

const echoConfig = `backend: "python"
input { name: "DATA" data_type: TYPE_FP32 dims: -1 }
output { name: "SAME" data_type: TYPE_FP32 dims: -1 }
`

const echoSource = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [
            pb_utils.InferenceResponse([pb_utils.Tensor("SAME", pb_utils.get_input_tensor_by_name(r, "DATA").as_numpy())])
            for r in requests
        ]
`

const callSource = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for r in requests:
            data = pb_utils.get_input_tensor_by_name(r, "DATA").as_numpy()
            call = pb_utils.InferenceRequest(
                model_name="echo", requested_output_names=["SAME"], inputs=[pb_utils.Tensor("DATA", data)]
            )
            same = pb_utils.get_output_tensor_by_name(call.exec(), "SAME")
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("SAME", same.as_numpy())]))
        return responses
`

var programs = []program{{"echo", echoConfig, echoSource}, {"call", echoConfig, callSource}}

// writePrograms puts Python models into a repository.
func writePrograms(root string) error {
	for _, p := range programs {
		if err := writeProgram(root, p); err != nil {
			return err
		}
	}
	return nil
}

func writeProgram(root string, p program) error {
	if err := write(root, model{name: p.name, config: p.config}); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, p.name, "1", "model.py"), []byte(p.source), 0o644)
}

// usePython makes the engine find the Python of the tests' environment, which has NumPy.
func usePython() error {
	venv, err := filepath.Abs("build/cache/venv/bin")
	if err != nil {
		return err
	}
	return os.Setenv("PATH", venv+":"+os.Getenv("PATH"))
}

// measurePython holds Python models against the same on the real server, with perf_analyzer.
func measurePython(ctx context.Context, b bench) error {
	if err := usePython(); err != nil {
		return err
	}
	return inTemp(func(dir string) error {
		if err := writePrograms(dir); err != nil {
			return err
		}
		flags := []string{"--model-control-mode=explicit", "--load-model=*"}
		ours, err := startServer(ctx, b, dir, flags...)
		if err != nil {
			return err
		}
		defer ours.stop()
		if b.triton == "" {
			row("beside the real server", "not measured: CONCH_TRITON names no command that runs one")
			took, err := pythonLoad(ctx, ours)
			row("load of a trivial model", "%s", ms(took))
			return err
		}
		theirs, err := startTriton(ctx, b.triton, dir, flags...)
		if err != nil {
			return err
		}
		defer theirs.stop()
		if b.rows.String() != "" {
			return pythonRates(ctx, b, ours, theirs)
		}
		return errors.Join(pythonLoads(ctx, ours, theirs), pythonRates(ctx, b, ours, theirs))
	})
}

// loadAim is the share of the real server's time for a load: it starts Python twice.
const loadAim = 0.4

// pythonLoads prints how long a load takes.
func pythonLoads(ctx context.Context, ours, theirs *server) error {
	our, err := pythonLoad(ctx, ours)
	if err != nil {
		return err
	}
	their, err := pythonLoad(ctx, theirs)
	if err != nil {
		return err
	}
	most("load of a trivial model, Triton's time = 1", our.Seconds()/their.Seconds(), loadAim, ratio, ms(our)+" and "+ms(their))
	return nil
}

const loadRounds = 5

// pythonLoad is the median of unloading a model and loading it again; only the load counts.
func pythonLoad(ctx context.Context, s *server) (time.Duration, error) {
	var all []time.Duration
	for range loadRounds {
		if err := s.control(ctx, "echo", "unload"); err != nil {
			return 0, err
		}
		began := time.Now()
		if err := s.control(ctx, "echo", "load"); err != nil {
			return 0, err
		}
		all = append(all, time.Since(began))
	}
	return median(all), nil
}

// control loads or unloads a model.
func (s *server) control(ctx context.Context, model, what string) error {
	address := s.http + "/v2/repository/models/" + model + "/" + what
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s of %s: status %d", what, model, answer.StatusCode)
	}
	return nil
}

// analyses are all rows; a call of another model is measured with small tensors only.
func analyses() []analysis {
	var all []analysis
	for _, protocol := range []string{"http", "grpc"} {
		for _, elements := range []int{16, 16 << 10, 1 << 20} {
			for _, inFlight := range []int{1, 8, 32} {
				all = append(all, analysis{model: "echo", protocol: protocol, inFlight: inFlight, elements: elements})
			}
		}
		all = append(all,
			analysis{model: "call", protocol: protocol, inFlight: 1, elements: 16}, analysis{model: "call", protocol: protocol, inFlight: 8, elements: 16})
	}
	return all
}

// pythonRates prints rates and latencies as shares of the real server's, measured one after the other.
func pythonRates(ctx context.Context, b bench, ours, theirs *server) error {
	for _, a := range analyses() {
		if !b.rows.MatchString(a.String()) {
			continue
		}
		our, err := a.measure(ctx, b, ours)
		if err != nil {
			return err
		}
		their, err := a.measure(ctx, b, theirs)
		if err != nil {
			return err
		}
		least(a.String(), our.rate/their.rate, 1.2, ratio, fmt.Sprintf("%.0f/s and %.0f/s", our.rate, their.rate))
		most("  p99", our.p99/their.p99, 1, ratio, fmt.Sprintf("%.0f and %.0f µs", our.p99, their.p99))
	}
	return nil
}
