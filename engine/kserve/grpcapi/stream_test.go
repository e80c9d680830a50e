package grpcapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"conch/engine/infer"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/grpcapi"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/kservetest"
	"conch/engine/kserve/tracing"
)

// talk sends requests on one stream, closes its half and returns a line for each answer.
func talk(ctx context.Context, t *testing.T, c kservepb.GRPCInferenceServiceClient, requests ...*inferRequest) ([]string, error) {
	stream, err := c.ModelStreamInfer(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range requests {
		if err := stream.Send(r); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
		lines = append(lines, line(m))
	}
}

func line(m *kservepb.ModelStreamInferResponse) string {
	r := m.InferResponse
	text := fmt.Sprintf("id=%s model=%s version=%s outputs=%d", r.Id, r.ModelName, r.ModelVersion, len(r.Outputs))
	if p, ok := r.Parameters["triton_final_response"]; ok {
		text += fmt.Sprintf(" final=%v", p.GetBoolParam())
	}
	if m.ErrorMessage != "" {
		text += " error=" + m.ErrorMessage
	}
	return text
}

func expectLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("answers\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The forms of the answers are those of Triton 2.51.0.
func TestStreamAnswersAndRefusals(t *testing.T) {
	unknown, noData := request("b"), request("c")
	unknown.ModelName = "zz"
	noData.RawInputContents = nil
	got, err := talk(background(t), t, client(t, kservetest.Identity()), request("a"), unknown, noData, request("fail"), request("d"))
	if err != nil {
		t.Fatal(err)
	}
	expectLines(t, got,
		"id=a model=m version=1 outputs=1 final=true",
		"id=b model= version= outputs=0 error=Request for unknown model: 'zz' is not found",
		"id=c model= version= outputs=0 error=unable to find data for input tensor 'IN' for model 'm' in request.",
		"id=fail model=m version= outputs=0 final=true error=backend says no",
		"id=d model=m version=1 outputs=1 final=true",
	)
}

// What a model says of a request has the form of an answer, whatever its code; what refuses the request has only the ID.
func TestErrorsOnAStreamByHowFarTheyCame(t *testing.T) {
	svc := kservetest.Identity()
	svc.InferFunc = func(_ context.Context, r *infer.Request, _ infer.Sink) error {
		r.Accepted = r.ID != "early"
		if r.ID == "full" {
			return &infer.Error{Code: infer.Unavailable, Message: "full", Fate: infer.TurnedAway}
		}
		return infer.Errorf(infer.NotFound, "no")
	}
	got, err := talk(background(t), t, client(t, svc), request("early"), request("full"), request("late"))
	if err != nil {
		t.Fatal(err)
	}
	expectLines(t, got,
		"id=early model= version= outputs=0 error=no",
		"id=full model= version= outputs=0 error=full",
		"id=late model=m version= outputs=0 final=true error=no")
}

// The model answers the first request last; the stream answers it first.
func TestStreamKeepsOrder(t *testing.T) {
	svc := kservetest.Identity()
	identity, second := svc.InferFunc, make(chan struct{})
	svc.InferFunc = func(ctx context.Context, r *infer.Request, sink infer.Sink) error {
		r.Queued()
		if r.ID == "1" {
			<-second
		} else {
			defer close(second)
		}
		return identity(ctx, r, sink)
	}
	got, err := talk(background(t), t, client(t, svc), request("1"), request("2"))
	if err != nil {
		t.Fatal(err)
	}
	expectLines(t, got, "id=1 model=m version=1 outputs=1 final=true", "id=2 model=m version=1 outputs=1 final=true")
}

// Requests reach the model in the order of the stream, also those of sequences.
func TestStreamReachesModelInOrder(t *testing.T) {
	for model, sequences := range map[string]int{"m": 7, "seq": 7, "iterative": 200, "flow": 200} {
		t.Run(model, func(t *testing.T) { reachesInOrder(t, model, sequences) })
	}
}

func reachesInOrder(t *testing.T, model string, sequences int) {
	svc := kservetest.Identity()
	identity := svc.InferFunc
	var order, want []string // each request is written before the next one begins
	svc.InferFunc = func(ctx context.Context, r *infer.Request, sink infer.Sink) error {
		order = append(order, r.ID)
		r.Queued()
		return identity(ctx, r, sink)
	}
	var requests []*inferRequest
	for i := range 200 {
		requests, want = append(requests, inSequence(model, fmt.Sprint(i), int64(i%sequences))), append(want, fmt.Sprint(i))
	}
	if _, err := talk(background(t), t, client(t, svc), requests...); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(order, want) {
		t.Errorf("the model saw %v", order)
	}
}

// inSequence returns a request of a sequence; 0 is none.
func inSequence(model, id string, sequence int64) *inferRequest {
	r := request(id)
	r.ModelName = model
	if sequence != 0 {
		r.Parameters = map[string]*parameter{"sequence_id": {ParameterChoice: &kservepb.InferParameter_Int64Param{Int64Param: sequence}}}
	}
	return r
}

// Requests of one sequence reach an ensemble, or a model with iterative sequences, one after the other; another sequence need not wait.
func TestStreamKeepsSequencesInOrder(t *testing.T) {
	for _, model := range []string{"flow", "iterative"} {
		t.Run(model, func(t *testing.T) { keepsSequences(t, model) })
	}
}

func keepsSequences(t *testing.T, model string) {
	svc := kservetest.Identity()
	identity, other := svc.InferFunc, make(chan struct{})
	var order []string
	var inside atomic.Int32
	svc.InferFunc = func(ctx context.Context, r *infer.Request, sink infer.Sink) error {
		if r.Queued != nil {
			r.Queued()
		}
		if r.Sequence.ID == 1 && inside.Add(1) > 1 {
			t.Errorf("request %s comes before the one before it is done", r.ID)
		}
		defer func() {
			if r.Sequence.ID == 1 {
				inside.Add(-1)
			}
		}()
		if r.Sequence.ID == 2 {
			close(other)
			return identity(ctx, r, sink)
		}
		if r.ID == "0" {
			<-other
		}
		order = append(order, r.ID)
		return identity(ctx, r, sink)
	}
	var requests []*inferRequest
	for i := range 20 {
		r := inSequence(model, fmt.Sprint(i), 1)
		r.ModelVersion = []string{"", "1"}[i%2] // two names of one version
		requests = append(requests, r)
	}
	if _, err := talk(background(t), t, client(t, svc), append(requests, inSequence(model, "other", 2))...); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, " "); got != "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19" {
		t.Errorf("the model saw %s", got)
	}
}

// holding is an ensemble that counts which of its requests hold the versions of its steps.
type holding struct {
	infer.Entered
	held *atomic.Int64
}

func (h holding) Hold() infer.Entered {
	h.held.Add(1)
	return h
}

// A request of a sequence that waits for the one before it holds the versions of the ensemble's steps from the moment when it comes.
func TestWaitingRequestsHoldTheStepsOfAnEnsemble(t *testing.T) {
	var held atomic.Int64
	svc, other := kservetest.Identity(), make(chan struct{})
	inside, err := svc.Enter("flow", infer.Latest)
	if err != nil {
		t.Fatal(err)
	}
	svc.EnterFunc = func(string, int64) (infer.Target, error) {
		return infer.Target{Config: inside.Config, Version: holding{inside.Version, &held}}, nil
	}
	identity := svc.InferFunc
	svc.InferFunc = func(ctx context.Context, r *infer.Request, sink infer.Sink) error {
		switch r.ID {
		case "first":
			r.Queued()
			<-other
			if n := held.Load(); n != 3 {
				t.Errorf("%d requests hold their versions while the first one runs, want 3", n)
			}
		case "other": // the last one; it is of no sequence, and begins at once
			close(other)
		}
		return identity(ctx, r, sink)
	}
	if _, err := talk(background(t), t, client(t, svc), inSequence("flow", "first", 1), inSequence("flow", "second", 1), inSequence("flow", "third", 1),
		inSequence("flow", "other", 0)); err != nil {
		t.Fatal(err)
	}
}

// A sequence goes on while the answers of its requests wait for those of other sequences, which wait for its place; also where
// more of them do than a stream may have requests in flight, and more of no sequence, taken and refused, wait behind them.
func TestSequencesDoNotWaitForAnswers(t *testing.T) {
	svc := kservetest.Identity()
	identity, ended := svc.InferFunc, make(chan struct{})
	svc.InferFunc = func(ctx context.Context, r *infer.Request, sink infer.Sink) error {
		r.Queued()
		if r.ID == "end" {
			close(ended)
		}
		if r.Sequence.ID > 1 { // there is one place, and the first sequence has it until it ends
			select {
			case <-ended:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return identity(ctx, r, sink)
	}
	var requests []*inferRequest
	var want []string
	add := func(id string, sequence int64) {
		requests = append(requests, inSequence("seq", id, sequence))
		want = append(want, "id="+id+" model=seq version=1 outputs=1 final=true")
	}
	add("begin", 1)
	for i := range int64(1100) {
		add(fmt.Sprint(i), i+2)
	}
	for range 1100 {
		add("plain", 0)
		requests = append(requests, inSequence("nosuch", "refused", 0))
		want = append(want, "id=refused model= version= outputs=0 error=Request for unknown model: 'nosuch' is not found")
	}
	add("next", 1)
	add("end", 1)
	got, err := talk(background(t), t, client(t, svc), requests...)
	if err != nil {
		t.Fatal(err)
	}
	expectLines(t, got, want...)
}

func countdown(id string, emptyFinal bool) *inferRequest {
	r := request(id)
	r.ModelName, r.Inputs[0].Name, r.Inputs[0].Shape = "stream", "N", []int64{1}
	r.RawInputContents[0] = ints(2)
	if emptyFinal {
		with("triton_enable_empty_final_response", &parameter{ParameterChoice: &kservepb.InferParameter_BoolParam{BoolParam: true}})(r)
	}
	return r
}

func TestStreamDecoupled(t *testing.T) {
	c := client(t, kservetest.Identity())
	got, err := talk(background(t), t, c, countdown("1", false))
	if err != nil {
		t.Fatal(err)
	}
	answer := "id=1 model=stream version=1 outputs=1 final=false"
	expectLines(t, got, answer, answer)
	got, err = talk(background(t), t, c, countdown("1", true))
	if err != nil {
		t.Fatal(err)
	}
	expectLines(t, got, answer, answer, "id=1 model=stream version= outputs=0 final=true")
}

// A stream has the trace of its request too, when the call asks for it.
func TestStreamTrace(t *testing.T) {
	c := client(t, kservetest.Identity())
	for _, asks := range []bool{true, false} {
		ctx := background(t)
		if asks {
			ctx = metadata.AppendToOutgoingContext(ctx, "conch-trace", "1")
		}
		stream, err := c.ModelStreamInfer(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(stream.Send(countdown("1", false)), stream.CloseSend()); err != nil {
			t.Fatal(err)
		}
		answers := 0
		for ; err == nil; _, err = stream.Recv() {
			answers++
		}
		values := stream.Trailer().Get("conch-trace-bin")
		got := &enginepb.RequestTrace{}
		switch {
		case !errors.Is(err, io.EOF) || answers != 3:
			t.Fatalf("%d answers, %v", answers-1, err)
		case !asks && len(values) != 0:
			t.Error("there is a trace that nobody asked for")
		case asks && (len(values) != 1 || proto.Unmarshal([]byte(values[0]), got) != nil || got.Span.GetEndedNs() == 0):
			t.Errorf("the trailer is %v", stream.Trailer())
		}
	}
}

func TestStreamClosesOnErrorWhenAsked(t *testing.T) {
	ctx := metadata.AppendToOutgoingContext(background(t), "triton_grpc_error", "true")
	unknown := request("b")
	unknown.ModelName = "zz"
	got, err := talk(ctx, t, client(t, kservetest.Identity()), request("a"), unknown, request("fail"), request("d"))
	expectStatus(t, "stream", err, "Internal backend says no")
	expectLines(t, got[:2],
		"id=a model=m version=1 outputs=1 final=true",
		"id=b model= version= outputs=0 error=Request for unknown model: 'zz' is not found",
	)
}

func TestStreamCancelled(t *testing.T) {
	svc := kservetest.Identity()
	running, ended := make(chan struct{}), make(chan struct{})
	svc.InferFunc = func(ctx context.Context, r *infer.Request, sink infer.Sink) error {
		close(running)
		defer close(ended)
		return waitForCancel(ctx, r, sink)
	}
	ctx, cancel := context.WithCancel(background(t))
	stream, err := client(t, svc).ModelStreamInfer(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(request("1")); err != nil {
		t.Fatal(err)
	}
	<-running
	cancel()
	<-ended
	if _, err := stream.Recv(); status.Code(err) != codes.Canceled {
		t.Error(err)
	}
}

// A request that waits for its turn does not get to the model when the stream is cancelled: it would overtake those before it.
func TestCancelledStreamLetsNobodyOvertake(t *testing.T) {
	svc := kservetest.Identity()
	running, ended := make(chan struct{}), make(chan struct{})
	svc.InferFunc = func(ctx context.Context, r *infer.Request, sink infer.Sink) error {
		if r.ID != "1" {
			t.Errorf("request %s came to the model", r.ID)
			return nil
		}
		close(running)
		defer close(ended)
		return waitForCancel(ctx, r, sink) // it is not in its queue yet
	}
	ctx, cancel := context.WithCancel(background(t))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpcapi.NewServer(svc, grpcapi.Options{Kept: new(tracing.Kept)})
	go func() { _ = server.Serve(listener) }()
	connection, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	stream, err := kservepb.NewGRPCInferenceServiceClient(connection).ModelStreamInfer(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if err := stream.Send(request(fmt.Sprint(i + 1))); err != nil {
			t.Fatal(err)
		}
	}
	<-running
	cancel()
	<-ended
	server.GracefulStop() // when all of them have had their turn
	_ = connection.Close()
}

// When a model that answers once gives no answer, or two, the client gets an error, and the stream
// goes on.
func TestWrongNumberOfAnswersOnAStream(t *testing.T) {
	svc := kservetest.Identity()
	run := svc.InferFunc
	svc.InferFunc = func(ctx context.Context, r *infer.Request, sink infer.Sink) error {
		r.Accepted = true
		switch r.ID {
		case "silent":
			return nil
		case "twice":
			if err := run(ctx, r, sink); err != nil {
				return err
			}
		}
		return run(ctx, r, sink)
	}
	got, err := talk(background(t), t, client(t, svc), request("silent"), request("twice"), request("once"))
	if err != nil {
		t.Fatal(err)
	}
	expectLines(t, got,
		"id=silent model=m version= outputs=0 final=true error=model 'm' gave no response to a request",
		"id=twice model=m version= outputs=0 final=true error=model 'm' gave more than one response to one request",
		"id=once model=m version=1 outputs=1 final=true")
}
