package request_test

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/kservetest"
	"conch/engine/kserve/request"
	"conch/engine/tensor"
)

// text is a parameter in text form: digits are a number, true and false are bools.
type text string

var errKind = errors.New("another kind")

func (v text) Bool() (bool, error) {
	b, err := strconv.ParseBool(string(v))
	if err != nil {
		err = errKind
	}
	return b, err
}

func (v text) number() (uint64, error) {
	n, err := strconv.ParseUint(string(v), 10, 64)
	if err != nil {
		err = errKind
	}
	return n, err
}

func (v text) SequenceID() (uint64, string, error) {
	if n, err := v.number(); err == nil {
		return n, "", nil
	}
	return 0, string(v), nil
}

func (v text) Priority() (uint64, error) { return v.number() }
func (v text) Timeout() (uint64, error)  { return v.number() }
func (v text) Size() int                 { return len(v) }

func (v text) Custom() (any, error) {
	if v == "" {
		return nil, errKind
	}
	return string(v), nil
}

var wires = map[string]*request.Wire{"HTTP": request.HTTP, "gRPC": request.GRPC}

func begin(wire *request.Wire) *request.Assembler {
	a := request.New(wire, "m", 3, &kserve.Options{}, new(budget.Account))
	return &a
}

// Both wires build the same request from the same parameters.
func TestParametersBecomeTheSameRequest(t *testing.T) {
	for name, wire := range wires {
		a := begin(wire)
		for _, p := range []struct {
			name  string
			value text
		}{
			{"sequence_id", "7"}, {"sequence_start", "true"}, {"sequence_end", "true"}, {"priority", "2"}, {"timeout", "1500"},
			{"own", "x"}, {"binary_data", "false"},
		} {
			if err := a.Parameter(p.name, p.value); err != nil {
				t.Errorf("%s: %s: %v", name, p.name, err)
			}
		}
		want := infer.Sequence{ID: 7, Start: true, End: true}
		if a.Sequence != want || a.Priority != 2 || a.Timeout != 1500*time.Microsecond || len(a.Parameters) != 2 || a.Parameters["own"] != "x" {
			t.Errorf("%s: %+v", name, a.Request)
		}
		if err := a.Parameter("sequence_id", text("name")); err != nil || a.Sequence.Name != "name" || a.Sequence.ID != 0 {
			t.Errorf("%s: a sequence called by a text: %+v, %v", name, a.Sequence, err)
		}
	}
}

// Each wire has a parameter that the other wire treats as the model's own.
func TestOwnParameters(t *testing.T) {
	http, grpc := begin(request.HTTP), begin(request.GRPC)
	for _, a := range []*request.Assembler{http, grpc} {
		if err := a.Parameter("binary_data_output", text("true")); err != nil {
			t.Error(err)
		}
	}
	if !http.Binary || grpc.Binary || grpc.Parameters["binary_data_output"] != "true" {
		t.Errorf("binary_data_output: %+v, %+v", http, grpc)
	}
	if err := grpc.Parameter("triton_enable_empty_final_response", text("true")); err != nil || !grpc.EmptyFinal {
		t.Error(err, grpc.EmptyFinal)
	}
	if err := http.Parameter("triton_enable_empty_final_response", text("true")); err == nil {
		t.Error("HTTP took a reserved parameter")
	}
}

// The sentences are Triton's for each wire.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, value string
		http, grpc  string
	}{
		{"priority", "x", "Internal: Unable to parse 'priority': another kind", "Invalid argument: invalid value type for 'priority' parameter, expected another kind."},
		{"own", "", "Invalid argument: parameter 'own' has invalid type. It should be either 'int', 'bool', or 'string'.",
			"Invalid argument: invalid value type for 'own' parameter, expected another kind."},
		{"triton_x", "1", "Invalid argument: parameter keys starting with 'triton_' are reserved for Triton usage and should not be specified.",
			"Invalid argument: parameter keys starting with 'triton_' are reserved for Triton usage. Only the following keys starting with 'triton_' are allowed: triton_enable_empty_final_response"},
	} {
		for name, want := range map[string]string{"HTTP": c.http, "gRPC": c.grpc} {
			err := begin(wires[name]).Parameter(c.name, text(c.value))
			if got := infer.CodeOf(err).String() + ": " + err.Error(); got != want {
				t.Errorf("%s: %s\nwant %s", name, got, want)
			}
		}
	}
	for name, wire := range wires {
		long, a := begin(wire).Parameter("sequence_id", text(strings.Repeat("x", 129))), begin(wire)
		if infer.CodeOf(long) != infer.Unsupported || long.Error() != "string correlation ID cannot be longer than 128 characters" {
			t.Errorf("%s: a sequence ID of 129 characters: %v", name, long)
		}
		if err := a.Parameter("sequence_id", text(strings.Repeat("x", 128))); err != nil {
			t.Errorf("%s: a sequence ID of 128 characters: %v", name, err)
		}
	}
	a := begin(request.HTTP)
	a.ID = "9"
	for i := range 2 {
		in, err := a.NewInput("X", "FP32", tensor.Shape{1})
		if i == 0 && (err != nil || in.Type != tensor.FP32) || i == 1 && (err == nil || err.Error() != "[request id: 9] input 'X' already exists in request") {
			t.Errorf("input %d: %+v, %v", i, in, err)
		}
		if err := a.AddInput(in); err != nil {
			t.Error(err)
		}
	}
}

// The memory of an entry is counted when the transport does not count the whole message. Of a number of classes 32 bits
// count.
func TestEntriesAreCounted(t *testing.T) {
	account := budget.Of(1000).Open()
	defer account.Close()
	a := request.New(request.HTTP, "m", 1, &kserve.Options{}, &account)
	_, shape := a.NewShape(4)
	if err := errors.Join(shape, a.AddOutput("Y", 1<<32+2), a.Parameter("own", text("x"))); err != nil {
		t.Fatal(err)
	}
	if account.Held() < 3*256 || a.Outputs[0].Classes != 2 {
		t.Errorf("held %d, %+v", account.Held(), a.Outputs)
	}
	if _, err := a.NewShape(100); err == nil || !strings.Contains(err.Error(), "--request-memory-limit") {
		t.Errorf("a shape beyond the limit: %v", err)
	}
}

// The strings that a backend makes of BYTES elements are counted on both wires, by the elements that can be there.
func TestStringsAreCounted(t *testing.T) {
	for name, wire := range wires {
		account := budget.Of(100_000).Open()
		a := request.New(wire, "m", 1, &kserve.Options{}, &account)
		for _, c := range []struct {
			shape tensor.Shape
			bytes int
			want  int64
		}{
			{tensor.Shape{10}, 40, 320},
			{tensor.Shape{1 << 40}, 40, 320},
			{tensor.Shape{1 << 40, 1 << 40}, 40, 320},
			{tensor.Shape{-1}, 40, 320},
			{tensor.Shape{1}, 1004, 32 + 1000 + 32},
			{tensor.Shape{10}, 200, 320 + 160 + 320},
			{tensor.Shape{0}, 0, 0},
		} {
			before := account.Held()
			err := a.AddInput(tensor.Tensor{Type: tensor.Bytes, Shape: c.shape, Data: make([]byte, c.bytes)})
			if held := account.Held() - before; err != nil || held != c.want {
				t.Errorf("%s: strings of %v in %d bytes: %d are held, want %d; %v", name, c.shape, c.bytes, held, c.want, err)
			}
		}
		err := a.AddInput(tensor.Tensor{Type: tensor.Bytes, Shape: tensor.Shape{4000}, Data: make([]byte, 16_000)})
		if err == nil || !strings.Contains(err.Error(), "--request-memory-limit") {
			t.Errorf("%s: strings beyond the limit: %v", name, err)
		}
		if err := a.AddInput(tensor.Tensor{Type: tensor.Uint8, Shape: tensor.Shape{1 << 20}, Data: make([]byte, 1<<20)}); err != nil {
			t.Errorf("%s: numbers: %v", name, err)
		}
		account.Close()
	}
}

// A client must not take the place of a header that a server before this one wrote, in any case.
func TestHeadersReplaceParameters(t *testing.T) {
	a := begin(request.HTTP)
	for _, name := range []string{"X-Tenant", "x-tenant", "X-TENANT", "other"} {
		if err := a.Parameter(name, text("client")); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Forward(regexp.MustCompile("(?i)x-"), map[string][]string{"X-Tenant": {"server"}}); err != nil {
		t.Fatal(err)
	}
	if want := map[string]any{"X-Tenant": "server", "other": "client"}; !maps.Equal(a.Parameters, want) {
		t.Errorf("parameters are %v, want %v", a.Parameters, want)
	}
}

// Headers that match the pattern become parameters: the last of several with one name, none that the transport made, and
// none that would mean something to the server.
func TestHeadersAreForwarded(t *testing.T) {
	a := begin(request.GRPC)
	for _, c := range []struct {
		pattern string
		headers map[string][]string
		want    string
	}{
		{"^x-", map[string][]string{"x-a": {"1", "2"}, "x-b": {}, "y": {"3"}}, ""},
		{".", map[string][]string{":authority": {"here"}, "content-type": {"application/grpc"}, "grpc-accept-encoding": {"gzip"}}, ""},
		{".", map[string][]string{"triton_grpc_error": {"true"}}, ""},
		{".", map[string][]string{"Timeout": {"5"}}, "Header 'Timeout' is reserved for Triton usage and cannot be forwarded."},
		{".", map[string][]string{"triton_x": {"5"}}, "Header 'triton_x' is reserved"},
	} {
		err := a.Forward(regexp.MustCompile(c.pattern), c.headers)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.headers, err, c.want)
		}
	}
	if err := a.Forward(nil, map[string][]string{"x-c": {"1"}}); err != nil || len(a.Parameters) != 1 || a.Parameters["x-a"] != "2" {
		t.Errorf("%v, %v", a.Parameters, err)
	}
}

// encoder counts answers.
type encoder int

func (e *encoder) Encode(*infer.Response) error { *e++; return nil }

// A model that should answer once and gives another number of answers causes an error. The version
// is left once.
func TestOnce(t *testing.T) {
	for answers, want := range []string{
		"model 'm' gave no response to a request", "", "model 'm' gave more than one response to one request",
	} {
		left := 0
		svc := &kservetest.Service{
			ConfigFunc: func(string, int64) (*modelconfig.ModelConfig, error) { return &modelconfig.ModelConfig{}, nil },
			LeaveFunc:  func() { left++ },
			InferFunc: func(_ context.Context, _ *infer.Request, sink infer.Sink) error {
				for range answers {
					if err := sink(&infer.Response{}); err != nil {
						return err
					}
				}
				return nil
			},
		}
		a, encoded := begin(request.GRPC), encoder(0)
		if err := a.Enter(svc); err != nil {
			t.Fatal(err)
		}
		err := a.Once(t.Context(), &encoded)
		a.Leave()
		a.Leave()
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%d answers: %v, want %q", answers, err, want)
		}
		if int(encoded) != min(answers, 1) || left != 1 {
			t.Errorf("%d answers: %d encoded, left %d times", answers, encoded, left)
		}
	}
}

// A list is read only while the client waits for the answer.
func TestAwaited(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	if err := request.Awaited(ctx, 1023); err != nil {
		t.Error(err)
	}
	cancel()
	if request.Awaited(ctx, 0) != nil || infer.CodeOf(request.Awaited(ctx, 1023)) != infer.Cancelled {
		t.Error("asked at another entry than the 1024th")
	}
}
