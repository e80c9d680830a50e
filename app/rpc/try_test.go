package rpc_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/api/apiconnect"
	"conch/app/apptest"
	"conch/app/enginehost"
	"conch/app/enginetest"
	"conch/app/recovery"
	"conch/app/rpc"
	"conch/app/store"
	"conch/app/workspace"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// engineAt is a workspace.Engine at the end of a connection.
type engineAt struct{ conn *grpc.ClientConn }

func (e engineAt) Client() (kservepb.GRPCInferenceServiceClient, error) {
	return kservepb.NewGRPCInferenceServiceClient(e.conn), nil
}
func (e engineAt) Private() (enginepb.EngineClient, error) {
	return enginepb.NewEngineClient(e.conn), nil
}
func (e engineAt) Sample(ctx context.Context, memoryOf []string) (*enginepb.SampleResponse, error) {
	return enginepb.NewEngineClient(e.conn).Sample(ctx, &enginepb.SampleRequest{MemoryOf: memoryOf})
}
func (engineAt) LogLines(string, int) []enginehost.Line { return nil }
func (engineAt) Restart()                               {}
func (engineAt) Resend()                                {}
func (e engineAt) Close() error                         { return e.conn.Close() }

// trying opens a repository with the model m, which this engine serves. stop ends the engine.
func trying(t *testing.T, engine *enginetest.Fake) (c apiconnect.TryServiceClient, stop func()) {
	t.Helper()
	return tryingUntil(context.Background(), t, engine)
}

// tryingUntil is trying with a program that ends with ctx.
func tryingUntil(ctx context.Context, t *testing.T, engine *enginetest.Fake) (c apiconnect.TryServiceClient, stop func()) {
	t.Helper()
	root := t.TempDir()
	put(t, root, "m", `output [ { name: "a" data_type: TYPE_UINT8 dims: [ 1 ] label_filename: "labels.txt" }, { name: "b" data_type: TYPE_UINT8 dims: [ 1 ] } ]`)
	s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	files := recovery.Open(recovery.Options{Dir: t.TempDir()})
	t.Cleanup(files.Close)
	socket := filepath.Join(t.TempDir(), "engine")
	stop, err = engine.Serve(socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30)))
	if err != nil {
		t.Fatal(err)
	}
	w := workspace.New(workspace.Options{Store: s, Recovery: files, Log: slog.New(slog.DiscardHandler), StartEngine: func([]string, func(enginehost.Update)) (workspace.Engine, error) {
		return engineAt{conn}, nil
	}})
	server := httptest.NewUnstartedServer((&rpc.Server{Workspace: w, Store: s, Log: slog.New(slog.DiscardHandler), Now: time.Now}).Handler())
	server.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	server.Start()
	t.Cleanup(func() {
		server.Close()
		if err := errors.Join(w.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	if err := w.Open(t.Context(), []string{root}); err != nil {
		t.Fatal(err)
	}
	return apiconnect.NewTryServiceClient(http.DefaultClient, server.URL), stop
}

// ask sends a request to m and returns all messages of its answer.
func ask(t *testing.T, c apiconnect.TryServiceClient) []*api.InferResponse {
	t.Helper()
	return askAnd(t, c, func(*api.InferResponse) {})
}

// askAnd calls see with each answer as it comes.
func askAnd(t *testing.T, c apiconnect.TryServiceClient, see func(*api.InferResponse)) []*api.InferResponse {
	t.Helper()
	stream, err := c.Infer(t.Context(), connect.NewRequest(&api.InferRequest{Model: "m", Run: "run"}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	var all []*api.InferResponse
	for stream.Receive() {
		all = append(all, stream.Msg())
		see(stream.Msg())
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// answer is an answer of m with one output.
func answer(name, datatype string, raw []byte) *kservepb.ModelInferResponse {
	return &kservepb.ModelInferResponse{
		ModelName: "m", ModelVersion: "1", RawOutputContents: [][]byte{raw},
		Outputs: []*kservepb.ModelInferResponse_InferOutputTensor{{Name: name, Datatype: datatype, Shape: []int64{int64(len(raw))}}},
	}
}

// A refusal is the engine's answer. Where the engine has ended, or the call was stopped on the way,
// there is no answer.
func TestUnanswered(t *testing.T) {
	c, stop := trying(t, &enginetest.Fake{OnInfer: func(context.Context, *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
		return nil, status.Error(codes.Unavailable, "exceeds maximum queue size")
	}})
	if out := ask(t, c)[0]; out.ErrorCode != "UNAVAILABLE" || out.Unanswered || out.Error != "exceeds maximum queue size" {
		t.Errorf("a refusal: %v", out)
	}
	stop()
	if out := ask(t, c)[0]; out.ErrorCode != "UNAVAILABLE" || !out.Unanswered {
		t.Errorf("without an engine: %v", out)
	}
}

// An engine that ends during a request is told in a sentence, and not in gRPC's words.
func TestEngineEndsDuringRequest(t *testing.T) {
	running := make(chan struct{})
	c, stop := trying(t, &enginetest.Fake{OnInfer: func(ctx context.Context, _ *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
		close(running)
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	go func() {
		<-running
		stop()
	}()
	out := ask(t, c)[0]
	if !out.Unanswered || !strings.HasPrefix(out.Error, "The engine ended before it answered. Conch starts it again") {
		t.Errorf("%v", out)
	}
}

// stopWhenRunning stops the request as soon as the engine has it.
func stopWhenRunning(t *testing.T, c apiconnect.TryServiceClient, running <-chan struct{}) {
	go func() {
		select {
		case <-running:
		case <-t.Context().Done():
			return
		}
		if _, err := c.StopInfer(context.Background(), connect.NewRequest(&api.StopInferRequest{Run: "run"})); err != nil {
			t.Error(err)
		}
	}()
}

// Stop cancels the call to the engine. The window and the history say that it was stopped, and when.
func TestStop(t *testing.T) {
	running, left := make(chan struct{}), make(chan struct{})
	c, _ := trying(t, &enginetest.Fake{OnInfer: func(ctx context.Context, _ *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
		close(running)
		<-ctx.Done()
		close(left)
		return nil, ctx.Err()
	}})
	stopWhenRunning(t, c, running)
	all := ask(t, c)
	<-left
	out := all[0]
	if len(all) != 1 || !out.Stopped || out.Ok || !strings.HasPrefix(out.Error, "Stopped after ") || out.Timings.GetRoundTripNs() == 0 || out.Unanswered {
		t.Errorf("%v", all)
	}
	kept, err := c.GetHistory(t.Context(), connect.NewRequest(&api.GetHistoryRequest{Id: out.HistoryId}))
	if err != nil {
		t.Fatal(err)
	}
	if e := kept.Msg; e.Entry.Error != out.Error || !e.Response.Stopped || !e.Entry.Stopped || e.Entry.TookMs != float64(out.Timings.RoundTripNs)/1e6 {
		t.Errorf("the history has %v", e)
	}
	if _, err := c.StopInfer(t.Context(), connect.NewRequest(&api.StopInferRequest{Run: "run"})); err != nil {
		t.Errorf("stopping what has ended: %v", err)
	}
}

// A page that is loaded again while a request runs finds in the history what became of it.
func TestPageLeaves(t *testing.T) {
	running := make(chan struct{})
	c, _ := trying(t, &enginetest.Fake{OnInfer: func(ctx context.Context, _ *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
		close(running)
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-running
		leave()
	}()
	if stream, err := c.Infer(ctx, connect.NewRequest(&api.InferRequest{Model: "m", Run: "run"})); err == nil {
		_ = stream.Close()
	}
	soon, end := context.WithTimeout(t.Context(), 30*time.Second)
	defer end()
	for {
		list, err := c.ListHistory(soon, connect.NewRequest(&api.ListHistoryRequest{}))
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Msg.Entries) == 0 { // the program hears of it a moment later
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if e := list.Msg.Entries[0]; !e.Stopped || !strings.HasSuffix(e.Error, ", as its page was closed or loaded again, or Conch ended") {
			t.Errorf("the history has %v", e)
		}
		return
	}
}

// A page that is still there when Conch ends is told so.
func TestProgramEnds(t *testing.T) {
	program, end := context.WithCancel(t.Context())
	c, _ := tryingUntil(program, t, &enginetest.Fake{OnInfer: func(ctx context.Context, _ *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
		end()
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	if out := ask(t, c)[0]; !out.Stopped || !strings.HasSuffix(out.Error, ", as its page was closed or loaded again, or Conch ended") {
		t.Errorf("%v", out)
	}
}

// A model may choose any words for its own error.
func TestErrorIsNoStop(t *testing.T) {
	c, _ := trying(t, &enginetest.Fake{OnInfer: func(context.Context, *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
		return nil, status.Error(codes.Internal, "Stopped after 3 s")
	}})
	if out := ask(t, c)[0]; out.Stopped || out.Error != "Stopped after 3 s" {
		t.Errorf("%v", out)
	}
	list, err := c.ListHistory(t.Context(), connect.NewRequest(&api.ListHistoryRequest{}))
	if err != nil || len(list.Msg.Entries) != 1 || list.Msg.Entries[0].Stopped {
		t.Errorf("the history has %v, %v", list, err)
	}
}

func decoupledConfig(string) *modelconfig.ModelConfig {
	return &modelconfig.ModelConfig{ModelTransactionPolicy: &modelconfig.ModelTransactionPolicy{Decoupled: true}}
}

// The answers of a decoupled model come one by one, and the times with the last message.
func TestDecoupled(t *testing.T) {
	c, _ := trying(t, &enginetest.Fake{OnConfig: decoupledConfig, OnStream: func(stream kservepb.GRPCInferenceService_ModelStreamInferServer) error {
		if _, err := stream.Recv(); err != nil {
			return err
		}
		raw, err := proto.Marshal(&enginepb.RequestTrace{Timings: &enginepb.Timings{TotalNs: 7}})
		stream.SetTrailer(metadata.Pairs("conch-trace-bin", string(raw)))
		for i := range byte(3) {
			err = errors.Join(err, stream.Send(&kservepb.ModelStreamInferResponse{InferResponse: answer("a", "UINT8", []byte{i})}))
		}
		return err
	}})
	all := ask(t, c)
	if len(all) != 4 {
		t.Fatalf("%d messages: %v", len(all), all)
	}
	for i, part := range all[:3] {
		if !part.Partial || !part.Ok || len(part.Outputs) != 1 || part.Outputs[0].Raw[0] != byte(i) {
			t.Errorf("answer %d: %v", i, part)
		}
		if took := part.Timings.GetRoundTripNs(); took == 0 || i > 0 && took < all[i-1].Timings.RoundTripNs {
			t.Errorf("answer %d came after %d ns", i, took)
		}
	}
	if end := all[3]; end.Partial || !end.Ok || end.Answers != 3 || end.Timings.GetTotalNs() != 7 || end.Timings.RoundTripNs == 0 || len(end.Outputs) != 0 {
		t.Errorf("the end: %v", end)
	}
}

// Stopping a decoupled model keeps the answers so far. An error of the model does too.
func TestDecoupledEndsEarly(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(ctx context.Context) *kservepb.ModelStreamInferResponse
		want func(*api.InferResponse) bool
	}{
		"stopped": {func(ctx context.Context) *kservepb.ModelStreamInferResponse {
			<-ctx.Done()
			return &kservepb.ModelStreamInferResponse{}
		}, func(out *api.InferResponse) bool { return out.Stopped }},
		"failed": {func(context.Context) *kservepb.ModelStreamInferResponse {
			return &kservepb.ModelStreamInferResponse{ErrorMessage: "no more"}
		}, func(out *api.InferResponse) bool { return out.Error == "no more" && !out.Stopped }},
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := trying(t, &enginetest.Fake{OnConfig: decoupledConfig, OnStream: func(stream kservepb.GRPCInferenceService_ModelStreamInferServer) error {
				if err := stream.Send(&kservepb.ModelStreamInferResponse{InferResponse: answer("a", "UINT8", []byte{1})}); err != nil {
					return err
				}
				return stream.Send(c.end(stream.Context()))
			}})
			all := askAnd(t, client, func(out *api.InferResponse) {
				if !out.Partial || name != "stopped" {
					return
				}
				if _, err := client.StopInfer(t.Context(), connect.NewRequest(&api.StopInferRequest{Run: "run"})); err != nil {
					t.Error(err)
				}
			})
			if len(all) != 2 || !all[0].Partial || all[1].Ok || all[1].Answers != 1 || !c.want(all[1]) {
				t.Errorf("%v", all)
			}
		})
	}
}

// A large output is read in parts. A small one is sent whole, and outputs are in the order of the
// config whatever the engine's order is.
func TestLargeOutputs(t *testing.T) {
	large := make([]byte, 0, 10_000_000)
	for i := range uint32(cap(large) / 4) {
		large = binary.LittleEndian.AppendUint32(large, i)
	}
	c, _ := trying(t, &enginetest.Fake{OnInfer: func(context.Context, *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
		m := answer("b", "UINT8", []byte{5})
		more := answer("a", "UINT32", large)
		m.Outputs, m.RawOutputContents = append(m.Outputs, more.Outputs...), append(m.RawOutputContents, large)
		return m, nil
	}})
	outputs := ask(t, c)[0].Outputs
	if names := []string{outputs[0].Name, outputs[1].Name}; !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("the outputs are %v", names)
	}
	if a, b := outputs[0], outputs[1]; len(a.Raw) != 0 || a.Source == 0 || a.Count != 2_500_000 || len(b.Raw) != 1 || b.Source != 0 {
		t.Errorf("%d bytes from %d, count %d; %d bytes", len(a.Raw), a.Source, a.Count, len(b.Raw))
	}
	part, err := c.ReadTensor(t.Context(), connect.NewRequest(&api.ReadTensorRequest{Source: outputs[0].Source, Start: 2_000_000, Rows: 1, Columns: 3, ColumnStride: 1}))
	if err != nil || !bytes.Equal(part.Msg.Raw, large[8_000_000:8_000_012]) {
		t.Errorf("%v, %v", part, err)
	}
	ask(t, c)
	if _, err := c.ReadTensor(t.Context(), connect.NewRequest(&api.ReadTensorRequest{Source: outputs[0].Source, Rows: 1, Columns: 1})); connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("the last request's output: %v", err)
	}
}

// What a request has beside its tensors reaches the engine and the history, a large request without tensors among them.
func TestParametersOfARequest(t *testing.T) {
	var got *kservepb.ModelInferRequest
	c, _ := trying(t, &enginetest.Fake{OnInfer: func(_ context.Context, r *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
		got = r
		return answer("a", "UINT8", []byte{1}), nil
	}})
	sent := &api.InferRequest{Model: "m", Id: "first", Parameters: map[string]*api.RequestParameter{
		"sequence_id":    {Value: &api.RequestParameter_Uint64{Uint64: 1<<64 - 1}},
		"sequence_start": {Value: &api.RequestParameter_Bool{Bool: true}},
		"priority":       {Value: &api.RequestParameter_Int64{Int64: 2}},
		"heat":           {Value: &api.RequestParameter_Double{Double: 0.5}},
		"lang":           {Value: &api.RequestParameter_String_{String_: "en"}},
	}}
	infer := func() *api.GetHistoryResponse {
		out, err := apptest.Try{TryServiceClient: c}.Infer(t.Context(), connect.NewRequest(sent))
		if err != nil || !out.Msg.Ok {
			t.Fatalf("%v, %v", out, err)
		}
		kept, err := c.GetHistory(t.Context(), connect.NewRequest(&api.GetHistoryRequest{Id: out.Msg.HistoryId}))
		if err != nil {
			t.Fatal(err)
		}
		return kept.Msg
	}
	if kept := infer(); !proto.Equal(kept.Request, sent) {
		t.Errorf("the history has %v", kept.Request)
	}
	want := &kservepb.ModelInferRequest{ModelName: "m", Id: "first", Parameters: map[string]*kservepb.InferParameter{
		"sequence_id":    {ParameterChoice: &kservepb.InferParameter_Uint64Param{Uint64Param: 1<<64 - 1}},
		"sequence_start": {ParameterChoice: &kservepb.InferParameter_BoolParam{BoolParam: true}},
		"priority":       {ParameterChoice: &kservepb.InferParameter_Int64Param{Int64Param: 2}},
		"heat":           {ParameterChoice: &kservepb.InferParameter_DoubleParam{DoubleParam: 0.5}},
		"lang":           {ParameterChoice: &kservepb.InferParameter_StringParam{StringParam: "en"}},
	}}
	if !proto.Equal(got, want) {
		t.Errorf("the engine got %v", got)
	}
	text, err := c.Snippet(t.Context(), connect.NewRequest(&api.SnippetRequest{Language: "curl", Request: sent}))
	if part := `"parameters":{"heat":0.5,"lang":"en","priority":2,"sequence_id":18446744073709551615,"sequence_start":true}`; err != nil || !strings.Contains(text.Msg.Text, part) {
		t.Errorf("as curl: %v, %v", text, err)
	}
	sent.Parameters["lang"].Value = &api.RequestParameter_String_{String_: strings.Repeat("x", 3<<20)}
	infer()
}
