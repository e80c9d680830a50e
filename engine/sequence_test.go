package engine_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/tensor"
)

const running = `backend: "onnxruntime" max_batch_size: 4 instance_group [{ count: 2 kind: KIND_CPU }]
input [{ name: "INPUT" data_type: TYPE_INT32 dims: [1] }]
output [{ name: "OUTPUT" data_type: TYPE_INT32 dims: [1] }, { name: "WHO" data_type: TYPE_INT64 dims: [1] }, { name: "THERE" data_type: TYPE_INT32 dims: [1] }]
sequence_batching {
  %s
  control_input [
    { name: "START" control [{ kind: CONTROL_SEQUENCE_START int32_false_true: [0, 1] }] },
    { name: "READY" control [{ kind: CONTROL_SEQUENCE_READY int32_false_true: [0, 1] }] },
    { name: "CORRID" control [{ kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_INT64 }] }
  ]
  state [{ input_name: "SUM" output_name: "SUM_NEXT" data_type: TYPE_INT32 dims: [1] %s }]
}
`

// startONNX runs an engine over one model of ONNX Runtime.
func startONNX(t *testing.T, config string, files map[string]string) *engine.Engine {
	t.Helper()
	dir := controltest.New(t, 1)
	dir.Write(t, "m/config.pbtxt", config)
	dir.Write(t, "m/1/model.onnx", string(onnxtest.Running().Bytes()))
	for name, text := range files {
		dir.Write(t, "m/"+name, text)
	}
	dir.Look()
	log := slog.New(slog.DiscardHandler)
	e := engine.New(engine.Options{
		Options:  control.Options{Models: dir, Mode: control.Explicit},
		Backends: []backend.Backend{onnx.New(onnx.Options{Library: onnxtest.Library(t), Log: log})},
	})
	return runs(t, e)
}

// add sends one number of a sequence and returns the sum so far.
func add(e *engine.Engine, value int32, s infer.Sequence, outputs ...string) (sum int32, got []string, err error) {
	r := &infer.Request{Model: "m", Version: infer.Latest, Sequence: s, Inputs: []tensor.Tensor{
		{Name: "INPUT", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: binary.LittleEndian.AppendUint32(nil, uint32(value))},
	}}
	for _, name := range outputs {
		r.Outputs = append(r.Outputs, infer.RequestedOutput{Name: name})
	}
	err = e.Infer(context.Background(), r, func(resp *infer.Response) error {
		for _, out := range resp.Outputs {
			got = append(got, out.Name)
			n := int32(binary.LittleEndian.Uint32(out.Data))
			switch {
			case out.Name == "OUTPUT":
				sum = n
			case out.Name == "WHO" && uint64(n) != s.ID:
				return fmt.Errorf("sequence %d was told that it is %d", s.ID, n)
			case out.Name == "THERE" && n != 1:
				return fmt.Errorf("sequence %d was told that it is not ready", s.ID)
			}
		}
		return nil
	})
	return sum, got, err
}

// With more sequences than slots at a time, each sequence has its own sum.
func TestSequencesOnONNXRuntime(t *testing.T) {
	for name, strategy := range map[string]string{
		"direct": "direct {}", "oldest": "oldest { max_candidate_sequences: 3 }", "no strategy": "",
		"as many candidates as a batch holds": "oldest {}",
		"utilization":                         "direct { max_queue_delay_microseconds: 1000 minimum_slot_utilization: 1 }",
	} {
		t.Run(name, func(t *testing.T) {
			e := startONNX(t, fmt.Sprintf(running, strategy, ""), nil)
			if err := e.Load(t.Context(), "m", loadOptions); err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			for client := range 24 {
				all.Go(func() {
					total := int32(0)
					for i := range int32(8) {
						value := int32(client)*100 + i
						total += value
						sum, _, err := add(e, value, infer.Sequence{ID: uint64(client + 1), Start: i == 0, End: i == 7})
						if err != nil || sum != total {
							t.Errorf("sequence %d, request %d: %d, %v; want %d", client+1, i, sum, err, total)
							return
						}
					}
				})
			}
			all.Wait()
			stats, err := e.Statistics("m", 1)
			if err != nil || stats[0].InferenceCount != 24*8 || stats[0].Success.Count != 24*8 || stats[0].Fail.Count != 0 {
				t.Errorf("statistics %+v, %v", stats, err)
			}
		})
	}
}

// A growable state works like any other state here. If its config is wrong, requests get the sentence that Triton
// logs.
func TestGrowableState(t *testing.T) {
	e := startONNX(t, fmt.Sprintf(running, "", "use_growable_memory: true use_same_buffer_for_input_output: true"), nil)
	if err := e.Load(t.Context(), "m", loadOptions); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int32{4, 8} {
		if sum, _, err := add(e, 4, infer.Sequence{ID: 3, Start: i == 0}); err != nil || sum != want {
			t.Errorf("sum %d, %v", sum, err)
		}
	}
	e = startONNX(t, fmt.Sprintf(running, "", "use_growable_memory: true"), nil)
	if err := e.Load(t.Context(), "m", loadOptions); err != nil {
		t.Fatal(err)
	}
	_, _, err := add(e, 4, infer.Sequence{ID: 3, Start: true})
	if infer.CodeOf(err) != infer.Internal || !strings.Contains(err.Error(), "you must also enable 'use_single_buffer' for state input name 'SUM'.") {
		t.Errorf("error = %v", err)
	}
}

func TestSequenceStateIsNoOutput(t *testing.T) {
	e := startONNX(t, fmt.Sprintf(running, "oldest { max_candidate_sequences: 4 }", `initial_state { name: "s" data_type: TYPE_INT32 dims: [1] data_file: "begin" }`),
		map[string]string{"initial_state/begin": "\x07\x00\x00\x00 and more"})
	if err := e.Load(t.Context(), "m", loadOptions); err != nil {
		t.Fatal(err)
	}
	_, got, err := add(e, 1, infer.Sequence{ID: 5, Start: true})
	if err != nil || strings.Join(got, " ") != "OUTPUT THERE WHO" {
		t.Errorf("outputs %v, %v", got, err)
	}
	if sum, got, err := add(e, 2, infer.Sequence{ID: 5}, "OUTPUT"); err != nil || sum != 3 || len(got) != 1 {
		t.Errorf("sum %d, outputs %v, %v", sum, got, err)
	}
	_, _, err = add(e, 1, infer.Sequence{ID: 5}, "SUM_NEXT")
	if err == nil || err.Error() != "unexpected inference output 'SUM_NEXT' for model 'm'" {
		t.Errorf("error = %v", err)
	}
	_, _, err = add(e, 1, infer.Sequence{Name: "five", Start: true})
	if infer.CodeOf(err) != infer.InvalidArg || !strings.Contains(err.Error(), "sequence batching control 'CORRID' data-type is 'BYTES', but model 'm' expects 'INT64'") {
		t.Errorf("error = %v", err)
	}
}

func TestSequencesThatDoNotLoad(t *testing.T) {
	for want, c := range map[string]struct{ strategy, state, extra string }{
		"Internal: failed to open text file for read":                                                     {"", `initial_state { name: "s" data_type: TYPE_INT32 dims: [1] data_file: "nowhere" }`, ""},
		"initial_state setting expects 4 bytes, but the data provided from":                               {"", `initial_state { name: "s" data_type: TYPE_INT32 dims: [1] data_file: "short" }`, ""},
		"The data type used for 'initial_state' field of state 'SUM' does not match the state data type.": {"", `initial_state { name: "s" data_type: TYPE_FP32 dims: [1] zero_data: true }`, ""},
		"it has no tensor for the sequence control 'START'":                                               {"", "", `model_warmup [{ name: "w" batch_size: 1 inputs { key: "INPUT" value { data_type: TYPE_INT32 dims: [1] zero_data: true } } }]`},
	} {
		e := startONNX(t, fmt.Sprintf(running, c.strategy, c.state)+c.extra, map[string]string{"initial_state/short": "\x07"})
		if err := e.Load(t.Context(), "m", loadOptions); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("load = %v\nwant %s", err, want)
		}
	}
}

// A warm-up sample contains the controls itself.
func TestWarmUpOfASequence(t *testing.T) {
	sample := `model_warmup [{ name: "w" batch_size: 2 count: 3
		inputs { key: "INPUT" value { data_type: TYPE_INT32 dims: [1] zero_data: true } }
		inputs { key: "START" value { data_type: TYPE_INT32 dims: [1] zero_data: true } }
		inputs { key: "READY" value { data_type: TYPE_INT32 dims: [1] zero_data: true } }
		inputs { key: "CORRID" value { data_type: TYPE_INT64 dims: [1] zero_data: true } } }]`
	e := startONNX(t, fmt.Sprintf(running, "", "")+sample, nil)
	if err := e.Load(t.Context(), "m", loadOptions); err != nil {
		t.Fatal(err)
	}
	if stats, err := e.Statistics("m", 1); err != nil || stats[0].ExecutionCount != 6 || stats[0].InferenceCount != 12 {
		t.Errorf("statistics %+v, %v; want three runs of two on each of two instances", stats, err)
	}
}

// loadOptions returns the options of a plain load.
var loadOptions = kserve.LoadOptions{}

// A null request counts only in the batch's size (docs/triton/sequences.md, "Batches of the direct
// strategy").
func TestNullsCountInBatchesAlone(t *testing.T) {
	e := startONNX(t, fmt.Sprintf(running, "direct {}", ""), nil)
	if err := e.Load(t.Context(), "m", loadOptions); err != nil {
		t.Fatal(err)
	}
	for id := range uint64(3) { // two instances: the third sequence shares one with the first, which has no request now
		if sum, _, err := add(e, 4, infer.Sequence{ID: id + 1, Start: true}); err != nil || sum != 4 {
			t.Errorf("sum %d, %v", sum, err)
		}
	}
	stats, err := e.Statistics("m", 1)
	if err != nil {
		t.Fatal(err)
	}
	s := stats[0]
	if s.InferenceCount != 3 || s.ExecutionCount != 3 || len(s.Batches) != 2 || s.Batches[0].ComputeInfer.Count != 2 || s.Batches[1].Size != 2 {
		t.Errorf("statistics %+v", s)
	}
}
