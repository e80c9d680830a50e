package serve_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
	"conch/engine/serve"
)

// socketClients are clients of both protocols of the private socket.
func (p *process) clients(t *testing.T) (enginepb.EngineClient, kservepb.GRPCInferenceServiceClient) {
	t.Helper()
	connection, err := grpc.NewClient("unix://"+p.socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return enginepb.NewEngineClient(connection), kservepb.NewGRPCInferenceServiceClient(connection)
}

func request(id string) *kservepb.ModelInferRequest {
	return &kservepb.ModelInferRequest{
		ModelName: "a", Id: id, Inputs: []*kservepb.ModelInferRequest_InferInputTensor{{Name: "IN", Datatype: "FP32", Shape: []int64{2}}},
		RawInputContents: [][]byte{[]byte("12345678")},
	}
}

// A trace contains a request's arrival and its tensors.
func TestTraceOfARequest(t *testing.T) {
	p := launch(t, nil, map[string]string{"a": "one"})
	private, client := p.clients(t)
	_, stream := p.watch(t)
	until(t, stream, func(e *enginepb.Event) bool { return e.Server.GetReady() })
	var trailer metadata.MD
	ctx := metadata.AppendToOutgoingContext(t.Context(), "conch-trace", "tensors")
	if _, err := client.ModelInfer(ctx, request("r1"), grpc.Trailer(&trailer)); err != nil {
		t.Fatal(err)
	}
	trace := &enginepb.RequestTrace{}
	if values := trailer.Get("conch-trace-bin"); len(values) != 1 || proto.Unmarshal([]byte(values[0]), trace) != nil {
		t.Fatalf("trailer = %v", trailer)
	}
	if len(trace.Span.Executions) != 1 || fmt.Sprint(trace.Span.Executions[0].Requests) != "[r1]" || trace.Span.Executions[0].Instance != "a_0" {
		t.Errorf("executions = %v", trace.Span.Executions)
	}
	var got []string
	tensors, err := private.TracedTensors(t.Context(), &enginepb.TracedTensorsRequest{TraceId: trace.TraceId, MaxBytes: 4})
	for err == nil {
		var m *enginepb.TracedTensor
		if m, err = tensors.Recv(); err == nil {
			got = append(got, fmt.Sprintf("%s %v %s %s of %d", m.Name, m.Output, m.Datatype, m.Data, m.ByteSize))
		}
	}
	if want := "IN false FP32 1234 of 8, OUT true FP32 1234 of 8"; !errors.Is(err, io.EOF) || strings.Join(got, ", ") != want {
		t.Errorf("tensors = %v, %v; want %s", got, err, want)
	}
	tensors, err = private.TracedTensors(t.Context(), &enginepb.TracedTensorsRequest{TraceId: 99})
	if err == nil {
		_, err = tensors.Recv()
	}
	if !strings.Contains(status.Convert(err).Message(), "are no longer kept") {
		t.Errorf("tensors of an unknown trace: %v", err)
	}
	p.stop(t)
}

// A client of the public port gets no trace: it would name requests of other clients, and push the workbench's
// traces out.
func TestNoTraceOnThePublicPort(t *testing.T) {
	p := launch(t, nil, map[string]string{"a": "one"})
	_, stream := p.watch(t)
	at := until(t, stream, func(e *enginepb.Event) bool { return e.Server.GetReady() }).Server.GrpcAddress
	connection, err := grpc.NewClient(at, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	for _, asked := range []string{"1", "tensors"} {
		var trailer metadata.MD
		ctx := metadata.AppendToOutgoingContext(t.Context(), "conch-trace", asked)
		if _, err := kservepb.NewGRPCInferenceServiceClient(connection).ModelInfer(ctx, request("r1"), grpc.Trailer(&trailer)); err != nil {
			t.Fatal(err)
		}
		if got := trailer.Get("conch-trace-bin"); len(got) > 0 {
			t.Errorf("%s: a trace of %d bytes", asked, len(got[0]))
		}
	}
	p.stop(t)
}

func TestReloadOfOneModel(t *testing.T) {
	p := launch(t, nil, map[string]string{"a": "one"})
	private, _ := p.clients(t)
	_, stream := p.watch(t)
	until(t, stream, func(e *enginepb.Event) bool { return e.Server.GetReady() })
	if _, err := private.SetReload(t.Context(), &enginepb.SetReloadRequest{Model: "a", Reload: "ask"}); err != nil {
		t.Fatal(err)
	}
	p.dir.Write(t, "a/1/model.fake", "two")
	p.dir.Look()
	until(t, stream, func(e *enginepb.Event) bool {
		return len(e.Models) == 1 && e.Models[0].FilesChanged && e.Models[0].Reload == "ask"
	})
	if _, err := private.SetReload(t.Context(), &enginepb.SetReloadRequest{Model: "a", Reload: "never"}); err == nil {
		t.Error("an unknown word was taken")
	}
	if _, err := private.SetReload(t.Context(), &enginepb.SetReloadRequest{Model: "a"}); err != nil {
		t.Fatal(err)
	}
	until(t, stream, func(e *enginepb.Event) bool { return e.Happening.GetKind() == enginepb.Happening_KIND_RELOADED })
	p.stop(t)
}

// The trace and log settings of the flags are used and can be changed. The traces are on disk after the end.
func TestTraceAndLogSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.json")
	p := launch(t, func(f *serve.Flags) {
		f.TraceConfig = []string{"triton,file=" + file, "level=TIMESTAMPS", "rate=1"}
		f.LogInfo = true
	}, map[string]string{"a": "one"})
	_, client := p.clients(t)
	_, stream := p.watch(t)
	until(t, stream, func(e *enginepb.Event) bool { return e.Server.GetReady() })
	if _, err := client.ModelInfer(t.Context(), request("r1")); err != nil {
		t.Fatal(err)
	}
	got, err := client.TraceSetting(t.Context(), &kservepb.TraceSettingRequest{ModelName: "a", Settings: map[string]*kservepb.TraceSettingRequest_SettingValue{
		"trace_level": {Value: []string{"OFF"}},
	}})
	if err != nil || got.Settings["trace_level"].Value[0] != "OFF" || got.Settings["trace_file"].Value[0] != file {
		t.Errorf("trace settings = %v, %v", got, err)
	}
	if _, err := client.ModelInfer(t.Context(), request("r2")); err != nil {
		t.Fatal(err)
	}
	logged, err := client.LogSettings(t.Context(), &kservepb.LogSettingsRequest{Settings: map[string]*kservepb.LogSettingsRequest_SettingValue{
		"log_verbose_level": {ParameterChoice: &kservepb.LogSettingsRequest_SettingValue_Uint32Param{Uint32Param: 2}},
	}})
	if err != nil || logged.Settings["log_verbose_level"].GetUint32Param() != 2 || !logged.Settings["log_info"].GetBoolParam() {
		t.Errorf("log settings = %v, %v", logged, err)
	}
	p.stop(t)
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `"request_id":"r1"`) || strings.Contains(string(text), `"r2"`) || !strings.HasSuffix(string(text), "]") {
		t.Errorf("trace file = %s, %v", text, err)
	}
}
