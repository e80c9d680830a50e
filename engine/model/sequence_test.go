package model_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// script is a backend that records the content of requests and answers as the test says.
type script struct {
	fake.Backend
	mu   sync.Mutex // guards what follows
	runs []string   // "1: START=1 END=0 SUM=[2]7 | 2: …"
}

// newScript makes a backend that answers each request with the result of answer.
func newScript(answer func(batch *backend.Batch, i int)) *script {
	s := &script{}
	s.OnExecute = func(_ context.Context, _ backend.Spec, batch *backend.Batch) {
		var list []string
		for _, r := range batch.Requests {
			list = append(list, told(r))
		}
		s.mu.Lock()
		s.runs = append(s.runs, strings.Join(list, " | "))
		s.mu.Unlock()
		for i := range batch.Requests {
			answer(batch, i)
		}
	}
	return s
}

// told returns what a request holds beside its own input: names, and values where there are any.
func told(r *infer.Request) string {
	var list []string
	for _, in := range r.Inputs {
		if in.Name != "IN" {
			list = append(list, fmt.Sprintf("%s%v=%s", in.Name, []int64(in.Shape), valueOf(in)))
		}
	}
	return strings.Join(list, " ")
}

func valueOf(t tensor.Tensor) string {
	var list []string
	for data := t.Data; len(data) > 0; {
		size := t.Type.Size()
		switch t.Type {
		case tensor.Bytes:
			size = 4 + int(binary.LittleEndian.Uint32(data))
			list = append(list, fmt.Sprintf("%q", data[4:size]))
		case tensor.FP32:
			list = append(list, fmt.Sprint(math.Float32frombits(binary.LittleEndian.Uint32(data))))
		case tensor.Bool:
			list = append(list, fmt.Sprint(data[0] != 0))
		case tensor.Int32, tensor.Uint32:
			list = append(list, fmt.Sprint(binary.LittleEndian.Uint32(data)))
		default:
			list = append(list, fmt.Sprint(binary.LittleEndian.Uint64(data)))
		}
		data = data[size:]
	}
	return strings.Join(list, ",")
}

// echo answers with the input, and with what else is asked for: NEXT, a state, counts up from SUM.
func echo(batch *backend.Batch, i int) {
	r := batch.Requests[i]
	resp := &infer.Response{Final: true}
	for _, out := range r.Outputs {
		t := *r.Input("IN")
		if out.Name == "NEXT" {
			t = grown(r)
		}
		t.Name = out.Name
		resp.Outputs = append(resp.Outputs, t)
	}
	batch.Respond(i, resp)
}

// grown is the state SUM with one more element, larger than the last by one.
func grown(r *infer.Request) tensor.Tensor {
	t := *r.Input("SUM")
	last := binary.LittleEndian.Uint32(t.Data[len(t.Data)-4:])
	t.Data = binary.LittleEndian.AppendUint32(append([]byte(nil), t.Data...), last+1)
	t.Shape = tensor.Shape{1, int64(len(t.Data) / 4)}
	return t
}

// ofSequence makes a request of a sequence: "7(" starts it, ")" ends it; an id that is not a number is a name.
func ofSequence(id string) *infer.Request {
	r := item(id)
	r.Outputs = []infer.RequestedOutput{{Name: "OUT"}}
	bare := strings.Trim(id, "()")
	r.Sequence = infer.Sequence{Start: strings.Contains(id, "("), End: strings.Contains(id, ")")}
	if _, err := fmt.Sscan(bare, &r.Sequence.ID); err != nil {
		r.Sequence.Name = bare
	}
	return r
}

// play loads a model, sends requests one after the other, each when the one before is answered, and returns what each run got.
func play(t *testing.T, s *script, config string, files map[string]string, requests ...*infer.Request) []string {
	t.Helper()
	v, err := load(s, folder(t, fakeModel+"instance_group [{ count: 1 kind: KIND_CPU }]\n"+config, files))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range requests {
		if err := v.Infer(t.Context(), r, func(*infer.Response) error { return nil }); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	return s.runs
}

func wantTold(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every kind of control in each type that it may have: START, END and READY carry the config's
// values for no and yes, CORRID the number or the string (docs/triton/sequences.md, "Controls").
func TestControls(t *testing.T) {
	for _, c := range []struct{ kind, values, want string }{
		{"START", "int32_false_true: [5, 7]", "7 5 5"},
		{"START", "fp32_false_true: [0.5, 1.5]", "1.5 0.5 0.5"},
		{"START", "bool_false_true: [true, false]", "false true true"},
		{"END", "int32_false_true: [0, 1]", "0 0 1"},
		{"END", "fp32_false_true: [-1, 1]", "-1 -1 1"},
		{"END", "bool_false_true: [false, true]", "false false true"},
		{"READY", "int32_false_true: [0, 9]", "9 9 9"},
		{"READY", "fp32_false_true: [0, 2]", "2 2 2"},
		{"READY", "bool_false_true: [false, true]", "true true true"},
		{"CORRID", "data_type: TYPE_UINT64", "4294967303 4294967303 4294967303"},
		{"CORRID", "data_type: TYPE_INT64", "4294967303 4294967303 4294967303"},
		{"CORRID", "data_type: TYPE_UINT32", "7 7 7"}, // its upper bits are lost, as in Triton
		{"CORRID", "data_type: TYPE_INT32", "7 7 7"},
		{"CORRID", "data_type: TYPE_STRING", `"seven" "seven" "seven"`},
	} {
		for batch, shape := range map[string]string{"max_batch_size: 4": "[1 1]", "": "[1]"} {
			t.Run(c.kind+" "+c.values+" "+batch, func(t *testing.T) {
				id := "4294967303"
				if strings.Contains(c.values, "STRING") {
					id = "seven"
				}
				requests := []*infer.Request{ofSequence(id + "("), ofSequence(id), ofSequence(id + ")")}
				for _, r := range requests {
					if batch == "" {
						r.Inputs[0].Shape = tensor.Shape{2}
					}
				}
				var want []string
				for _, value := range strings.Fields(c.want) {
					want = append(want, "C"+shape+"="+value)
				}
				got := play(t, newScript(echo), fmt.Sprintf("%s\nsequence_batching { control_input [{ name: \"C\" control [{ kind: CONTROL_SEQUENCE_%s %s }] }] }",
					batch, c.kind, c.values), nil, requests...)
				wantTold(t, got, want...)
			})
		}
	}
}

const states = `max_batch_size: 4
sequence_batching { %s state [
	{ input_name: "SUM" output_name: "NEXT" data_type: TYPE_INT32 dims: [%s] %s }
	%s
] }`

// A state begins as the config says: with zeros or with the content of a file; with zeros where the
// config says nothing. A variable dimension is 1 at first, or as in the initial state, and then
// follows what the model gives (docs/triton/sequences.md, "States").
func TestStatesBeginAsTheConfigSays(t *testing.T) {
	file := map[string]string{"initial_state/begin": "\x05\x00\x00\x00\x06\x00\x00\x00\x07\x00\x00\x00 and more"}
	for name, c := range map[string]struct{ dims, initial, want string }{
		"nothing said":            {"2", "", "[1 2]=0,0"},
		"zeros":                   {"2", `initial_state { name: "i" data_type: TYPE_INT32 dims: [2] zero_data: true }`, "[1 2]=0,0"},
		"zeros, said with false":  {"2", `initial_state { name: "i" data_type: TYPE_INT32 dims: [2] zero_data: false }`, "[1 2]=0,0"},
		"a file":                  {"2", `initial_state { name: "i" data_type: TYPE_INT32 dims: [2] data_file: "begin" }`, "[1 2]=5,6"},
		"any extent":              {"-1", "", "[1 1]=0"},
		"any extent, from a file": {"-1", `initial_state { name: "i" data_type: TYPE_INT32 dims: [3] data_file: "begin" }`, "[1 3]=5,6,7"},
		"the same buffer":         {"2", "use_same_buffer_for_input_output: true", "[1 2]=0,0"},
		"growable":                {"-1", "use_same_buffer_for_input_output: true use_growable_memory: true", "[1 1]=0"},
	} {
		t.Run(name, func(t *testing.T) {
			got := play(t, newScript(echo), fmt.Sprintf(states, "", c.dims, c.initial, ""), file, ofSequence("7("), ofSequence("7"), ofSequence("7("))
			grownTo := strings.NewReplacer("[1 1]=0", "[1 2]=0,1", "[1 2]=0,0", "[1 3]=0,0,1", "[1 2]=5,6", "[1 3]=5,6,7", "[1 3]=5,6,7", "[1 4]=5,6,7,8").Replace(c.want)
			wantTold(t, got, "SUM"+c.want, "SUM"+grownTo, "SUM"+c.want)
		})
	}
}

// Several states are kept each by its own name; a second entry for a name is ignored; strings begin empty.
func TestSeveralStates(t *testing.T) {
	got := play(t, newScript(echo), fmt.Sprintf(states, "oldest {}", "1", "", `,
		{ input_name: "TEXT" output_name: "TEXT_NEXT" data_type: TYPE_STRING dims: [2] },
		{ input_name: "SUM" output_name: "OTHER" data_type: TYPE_INT32 dims: [1] }`), nil, ofSequence("7("), ofSequence("8("), ofSequence("7"))
	wantTold(t, got, `SUM[1 1]=0 TEXT[1 2]="",""`, `SUM[1 1]=0 TEXT[1 2]="",""`, `SUM[1 2]=0,1 TEXT[1 2]=`+valueOf(*item("7").Input("IN")))
}

// The null request for a hole in a batch of the direct strategy is not ready, has no id, and holds
// zeros in the shapes of the request that made the batch, states included
// (docs/triton/sequences.md, "Batches of the direct strategy").
func TestNullRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(func(batch *backend.Batch, i int) {
			if i == 0 {
				time.Sleep(time.Second)
			}
			echo(batch, i)
		})
		v, err := load(s, folder(t, fakeModel+"instance_group [{ count: 1 kind: KIND_CPU }]\n"+fmt.Sprintf(states, `
			control_input [
				{ name: "READY" control [{ kind: CONTROL_SEQUENCE_READY bool_false_true: [false, true] }] },
				{ name: "START" control [{ kind: CONTROL_SEQUENCE_START int32_false_true: [0, 1] }] },
				{ name: "ID" control [{ kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 }] }]`, "-1",
			`initial_state { name: "i" data_type: TYPE_INT32 dims: [2] data_file: "begin" }`, ""),
			map[string]string{"initial_state/begin": "\x05\x00\x00\x00\x06\x00\x00\x00"}))
		if err != nil {
			t.Fatal(err)
		}
		if o := sendTo(t, v, ofSequence("7("), ofSequence("8(")); o.errs["7("] != nil || o.errs["8("] != nil {
			t.Errorf("errors = %v", o.errs)
		}
		wantTold(t, s.runs, "READY[1 1]=true START[1 1]=1 ID[1 1]=7 SUM[1 2]=5,6",
			"SUM[1 2]=0,0 READY[1 1]=false START[1 1]=0 ID[1 1]=0 | READY[1 1]=true START[1 1]=1 ID[1 1]=8 SUM[1 2]=5,6")
	})
}

// The direct strategy has a slot for each item of a batch. The oldest strategy has one for each candidate; the default is the
// batch size.
func TestSlots(t *testing.T) {
	for config, want := range map[string]string{
		"": "[true true false]", "direct {}": "[true true false]", "oldest { max_candidate_sequences: 1 }": "[true false false]",
		"oldest { max_candidate_sequences: 3 }": "[true true true]", "oldest {}": "[true true false]",
	} {
		t.Run(config, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v, err := load(newScript(echo), folder(t, fakeModel+"instance_group [{ count: 1 kind: KIND_CPU }]\nmax_batch_size: 2 sequence_batching { max_sequence_idle_microseconds: 60000000 "+config+" }", nil))
				if err != nil {
					t.Fatal(err)
				}
				var took []bool
				for _, id := range []string{"1(", "2(", "3("} {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					took = append(took, v.Infer(ctx, ofSequence(id), func(*infer.Response) error { return nil }) == nil)
					cancel()
				}
				if fmt.Sprint(took) != want {
					t.Errorf("%v had a slot, want %s", took, want)
				}
				if err := v.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A sequence may be silent for a second, or for as long as the config says.
func TestIdleTimes(t *testing.T) {
	for config, limit := range map[string]time.Duration{"": time.Second, "max_sequence_idle_microseconds: 3000000": 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			v, err := load(newScript(echo), folder(t, fakeModel+"max_batch_size: 2 sequence_batching { "+config+" }", nil))
			if err != nil {
				t.Fatal(err)
			}
			answer := func(id string) error {
				return v.Infer(t.Context(), ofSequence(id), func(*infer.Response) error { return nil })
			}
			first := answer("1(")
			time.Sleep(limit - time.Millisecond) // what a client does under a fake clock
			second := answer("1")
			time.Sleep(limit + time.Millisecond)
			if third := answer("1"); first != nil || second != nil || third == nil {
				t.Errorf("%q: %v, %v, %v", config, first, second, third)
			}
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// An iterative sequence: the client sends a request without sequence parameters, and the model runs it until it is done. Its
// state returns each time, and each run counts as a success, as in Triton.
func TestIterativeSequence(t *testing.T) {
	s := newScript(func(batch *backend.Batch, i int) {
		next := grown(batch.Requests[i])
		next.Name = "NEXT"
		if len(next.Data) <= 12 {
			batch.Reschedule(i, &infer.Response{Outputs: []tensor.Tensor{next}})
			return
		}
		echo(batch, i)
	})
	v, err := load(s, folder(t, fakeModel+"instance_group [{ count: 1 kind: KIND_CPU }]\n"+fmt.Sprintf(states, `iterative_sequence: true
		control_input [{ name: "START" control [{ kind: CONTROL_SEQUENCE_START int32_false_true: [0, 1] }] }]`, "-1", "", ""), nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b"} {
		answers := 0
		if err := v.Infer(t.Context(), item(id), func(*infer.Response) error { answers++; return nil }); err != nil || answers != 1 {
			t.Errorf("%s: %d answers, %v", id, answers, err)
		}
	}
	runs := []string{"START[1 1]=1 SUM[1 1]=0", "START[1 1]=0 SUM[1 2]=0,1", "START[1 1]=0 SUM[1 3]=0,1,2"}
	wantTold(t, s.runs, append(runs, runs...)...)
	if c := v.Counters().Snapshot(); c.Success != 6 || c.Inferences != 6 || c.Executions != 6 {
		t.Errorf("%d successes, %d inferences, %d executions", c.Success, c.Inferences, c.Executions)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// Without iterative_sequence a model may not ask for another run.
func TestRescheduleOfAnOrdinaryModel(t *testing.T) {
	s := newScript(func(batch *backend.Batch, i int) { batch.Reschedule(i, nil) })
	v, err := load(s, folder(t, fakeModel, nil))
	if err != nil {
		t.Fatal(err)
	}
	r := item("a")
	r.Inputs[0].Shape = tensor.Shape{2}
	err = v.Infer(t.Context(), r, func(*infer.Response) error { return nil })
	if infer.CodeOf(err) != infer.Internal || !strings.Contains(err.Error(), "no iterative_sequence") {
		t.Errorf("error = %v", err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// A decoupled model of a sequence may leave its state with any of its responses.
func TestStatesOfADecoupledModel(t *testing.T) {
	s := newScript(func(batch *backend.Batch, i int) {
		next := grown(batch.Requests[i])
		next.Name = "NEXT"
		out := *batch.Requests[i].Input("IN")
		out.Name = "OUT"
		batch.Respond(i, &infer.Response{Outputs: []tensor.Tensor{out, next}})
		batch.Respond(i, &infer.Response{Final: true})
	})
	config := fmt.Sprintf(states, "oldest { max_candidate_sequences: 2 }", "-1", "", "") + "\nmodel_transaction_policy { decoupled: true }"
	wantTold(t, play(t, s, config, nil, ofSequence("7("), ofSequence("7"), ofSequence("7")), "SUM[1 1]=0", "SUM[1 2]=0,1", "SUM[1 3]=0,1,2")
}

// The bytes of a state are limited: a billion numbers of eight bytes are too many.
func TestAStateOfManyBytes(t *testing.T) {
	_, err := load(newScript(echo), folder(t, fakeModel+fmt.Sprintf(strings.Replace(states, "TYPE_INT32", "TYPE_INT64", 1), "", "1000000000", "", ""), nil))
	if err == nil || !strings.Contains(err.Error(), "is too large: shape [1000000000]") {
		t.Errorf("error = %v", err)
	}
}
