package engine_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// stepConfig returns the config of a model from IN to OUT, one number each.
const stepConfig = "backend: \"fake\" default_model_filename: \"model.fake\" instance_group [{ count: 1 kind: KIND_CPU }]\n" +
	"input [{ name: \"IN\" data_type: TYPE_FP32 dims: [1] }]\noutput [{ name: \"OUT\" data_type: TYPE_FP32 dims: [1] }]\n"

const decoupledConfig = stepConfig + "model_transaction_policy { decoupled: true }\n"

// flowOf returns an ensemble from IN to OUT with steps "model in out".
func flowOf(extra string, steps ...string) string {
	var list []string
	for _, s := range steps {
		w := strings.Fields(s)
		in := ""
		for _, pair := range strings.Split(w[1], ",") {
			name, of, _ := strings.Cut(pair, "=")
			in += fmt.Sprintf("input_map { key: %q value: %q } ", name, of)
		}
		list = append(list, fmt.Sprintf("{ model_name: %q model_version: -1 %soutput_map { key: \"OUT\" value: %q } }", w[0], in, w[2]))
	}
	return "platform: \"ensemble\"\ninput [{ name: \"IN\" data_type: TYPE_FP32 dims: [1] }]\noutput [{ name: \"OUT\" data_type: TYPE_FP32 dims: [1] }]\n" +
		"ensemble_scheduling { step [ " + strings.Join(list, ", ") + " ] " + extra + " }\n"
}

// counting answers once for each number up to its input if the model is decoupled, and otherwise with its input.
func counting() *fake.Backend {
	return &fake.Backend{OnExecute: func(_ context.Context, spec backend.Spec, batch *backend.Batch) {
		for i, r := range batch.Requests {
			n := math.Float32frombits(binary.LittleEndian.Uint32(r.Inputs[0].Data))
			if !spec.Config.GetModelTransactionPolicy().GetDecoupled() {
				batch.Respond(i, &infer.Response{Outputs: []tensor.Tensor{single("OUT", n)}})
				continue
			}
			for k := float32(1); k <= n; k++ {
				batch.Respond(i, &infer.Response{Outputs: []tensor.Tensor{single("OUT", k)}})
			}
			batch.Respond(i, &infer.Response{Final: true})
		}
	}}
}

func single(name string, n float32) tensor.Tensor {
	return tensor.Tensor{Name: name, Type: tensor.FP32, Shape: tensor.Shape{1}, Data: binary.LittleEndian.AppendUint32(nil, math.Float32bits(n))}
}

// answers sends a number to a model and returns its answers: "1 2 3 ." with a dot for the end.
func answers(t *testing.T, e *engine.Engine, name string, n float32) (string, error) {
	t.Helper()
	var list []string
	r := &infer.Request{Model: name, Version: infer.Latest, Inputs: []tensor.Tensor{single("IN", n)}}
	err := e.Infer(t.Context(), r, func(resp *infer.Response) error {
		text := ""
		for _, out := range resp.Outputs {
			text += fmt.Sprint(math.Float32frombits(binary.LittleEndian.Uint32(out.Data)))
		}
		if resp.Final {
			text += "."
		}
		list = append(list, text)
		return nil
	})
	return strings.Join(list, " "), err
}

// An ensemble of decoupled models is decoupled itself, even if its config does not say so, and counts
// as one request.
func TestDecoupledEnsemble(t *testing.T) {
	e := start(t, counting(), map[string]string{
		"rep": decoupledConfig, "id": stepConfig,
		"e":     flowOf("", "rep IN=IN t", "id IN=t OUT"),
		"outer": flowOf("max_inflight_requests: 1", "e IN=IN t", "rep IN=t u", "id IN=u OUT"),
		"plain": flowOf("", "id IN=IN OUT") + "model_transaction_policy { decoupled: true }",
	})
	for name, want := range map[string]bool{"e": true, "outer": true, "plain": false} {
		if cfg, err := e.Config(name, infer.Latest); err != nil || cfg.ModelTransactionPolicy.GetDecoupled() != want {
			t.Errorf("%s: decoupled %v, %v; want %v", name, cfg.GetModelTransactionPolicy(), err, want)
		}
	}
	got, err := answers(t, e, "e", 3)
	if strings.TrimSuffix(strings.TrimSuffix(got, "."), " ") != "1 2 3" || !strings.HasSuffix(got, ".") || err != nil {
		t.Errorf("answers %q, %v", got, err)
	}
	got, err = answers(t, e, "outer", 3)
	if strings.TrimSuffix(strings.TrimSuffix(got, "."), " ") != "1 1 2 1 2 3" || !strings.HasSuffix(got, ".") || err != nil {
		t.Errorf("answers %q, %v", got, err)
	}
	if got, err = answers(t, e, "plain", 3); got != "3." || err != nil {
		t.Errorf("answers %q, %v", got, err)
	}
	for name, want := range map[string]uint64{"e": 2, "outer": 1, "rep": 5} {
		if stats, err := e.Statistics(name, 1); err != nil || stats[0].Success.Count != want || stats[0].Fail.Count != 0 {
			t.Errorf("statistics of %s: %+v, %v; want %d successes", name, stats, err, want)
		}
	}
}

// TestRequestsOfClientsAreCountedApart: a client's request to an ensemble counts once among the
// requests of clients. Its steps, and the steps of an ensemble in it, do not count there.
func TestRequestsOfClientsAreCountedApart(t *testing.T) {
	e := start(t, counting(), map[string]string{"id": stepConfig, "e": flowOf("", "id IN=IN t", "id IN=t OUT"), "outer": flowOf("", "e IN=IN OUT")})
	for _, name := range []string{"outer", "outer", "id"} {
		if _, err := answers(t, e, name, 1); err != nil {
			t.Fatal(err)
		}
	}
	wantClients(t, e, map[string][2]uint64{"outer": {2, 2}, "e": {2, 0}, "id": {5, 1}})
}

// wantClients fails unless each model has this many successes, and this many of them for clients.
func wantClients(t *testing.T, e *engine.Engine, want map[string][2]uint64) {
	t.Helper()
	got := map[string][2]uint64{}
	for _, sum := range e.Sums() {
		got[sum.Model] = [2]uint64{sum.Success, sum.Clients.Success}
		if n := sum.Clients.Latency.Total(); n != sum.Clients.Success {
			t.Errorf("%s: %d latencies of clients, want %d", sum.Model, n, sum.Clients.Success)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("all requests and those of clients are %v, want %v", got, want)
	}
}

// Outputs of a decoupled step cannot be combined with tensors from elsewhere (EV7), and cannot be cached
// (RC1).
func TestDecoupledEnsemblesThatDoNotLoad(t *testing.T) {
	two := strings.Replace(stepConfig, "output [", "input [{ name: \"MORE\" data_type: TYPE_FP32 dims: [1] }]\noutput [", 1)
	for config, want := range map[string]string{
		flowOf("", "rep IN=IN t", "two IN=t,MORE=IN OUT"):               "receives inputs originated from different decoupled models",
		flowOf("", "rep IN=IN OUT") + "response_cache { enable: true }": "decoupled",
		flowOf("", "rep IN=IN t", "rep IN=IN u", "two IN=t,MORE=u OUT"): "receives inputs originated from different decoupled models",
	} {
		e := start(t, counting(), map[string]string{"rep": decoupledConfig, "two": two, "e": config})
		if err := e.Load(t.Context(), "e", loadOptions); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("load = %v\nwant %s", err, want)
		}
	}
}

// The trace of an ensemble's request contains each step, and with tensors also those between the
// steps.
func TestTraceOfAnEnsemble(t *testing.T) {
	e := start(t, counting(), map[string]string{"rep": decoupledConfig, "id": stepConfig, "e": flowOf("", "rep IN=IN t", "id IN=t OUT")})
	trace := &infer.Trace{Tensors: true}
	r := &infer.Request{Model: "e", Version: infer.Latest, Trace: trace, Inputs: []tensor.Tensor{single("IN", 2)}}
	if err := e.Infer(t.Context(), r, ignore); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range trace.Steps {
		text := fmt.Sprintf("%d %s", s.Step, s.Model)
		for _, a := range s.Responses {
			for _, out := range a.Outputs {
				text += fmt.Sprint(" ", out.Name, "=", math.Float32frombits(binary.LittleEndian.Uint32(out.Data)))
			}
		}
		if s.Ended.Before(s.Received) || s.Received.Before(trace.Received) || s.Ended.After(trace.Ended) {
			t.Errorf("%s ran from %v to %v", text, s.Received, s.Ended)
		}
		got = append(got, text)
	}
	if want := "0 rep OUT=1 OUT=2, 1 id OUT=1, 1 id OUT=2"; strings.Join(got, ", ") != want {
		t.Errorf("steps %s\nwant  %s", strings.Join(got, ", "), want)
	}
}
