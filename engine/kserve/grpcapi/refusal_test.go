package grpcapi_test

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/grpcapi"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/kservetest"
	"conch/engine/kserve/refusals"
)

func waitForCancel(ctx context.Context, _ *infer.Request, _ infer.Sink) error {
	<-ctx.Done()
	return ctx.Err()
}

type (
	inferRequest = kservepb.ModelInferRequest
	parameter    = kservepb.InferParameter
	contents     = kservepb.InferTensorContents
)

var (
	number = &parameter{ParameterChoice: &kservepb.InferParameter_Int64Param{Int64Param: 1}}
	minus  = &parameter{ParameterChoice: &kservepb.InferParameter_Int64Param{Int64Param: -1}}
	unsign = &parameter{ParameterChoice: &kservepb.InferParameter_Uint64Param{Uint64Param: 1}}
	word   = &parameter{ParameterChoice: &kservepb.InferParameter_StringParam{StringParam: "r"}}
)

// typed replaces a request's data.
func typed(c *contents) func(*inferRequest) {
	return func(r *inferRequest) {
		r.RawInputContents = nil
		r.Inputs[0].Contents = c
	}
}

func with(name string, p *parameter) func(*inferRequest) {
	return func(r *inferRequest) { r.Parameters = map[string]*parameter{name: p} }
}

func outputWith(params map[string]*parameter) func(*inferRequest) {
	return func(r *inferRequest) {
		r.Outputs = []*kservepb.ModelInferRequest_InferRequestedOutputTensor{{Name: "OUT", Parameters: params}}
	}
}

// The texts are those of Triton 2.51.0.
func TestRefusals(t *testing.T) {
	c, ctx := client(t, kservetest.Identity()), background(t)
	for name, test := range map[string]struct {
		change func(*inferRequest)
		want   string
	}{
		"unknown model":   {func(r *inferRequest) { r.ModelName = "zz" }, "NotFound Request for unknown model: 'zz' is not found"},
		"unknown version": {func(r *inferRequest) { r.ModelVersion = "9" }, "NotFound Request for unknown model: 'm' version 9 is not found"},
		"version 0":       {func(r *inferRequest) { r.ModelVersion = "0" }, "NotFound Request for unknown model: 'm' version 0 is not found"},
		"version word": {func(r *inferRequest) { r.ModelVersion = "abc" },
			"InvalidArgument failed to get model version from specified version string 'abc' (details: stol), version should be an integral value > 0"},
		"version negative": {func(r *inferRequest) { r.ModelVersion = "-5" },
			"InvalidArgument invalid model version specified '-5' , version should be an integral value > 0"},
		"decoupled": {func(r *inferRequest) { r.ModelName = "stream" },
			"Unimplemented ModelInfer RPC doesn't support models with decoupled transaction policy"},
		"backend": {func(r *inferRequest) { r.Id = "fail" }, "Internal backend says no"},
		"no data": {func(r *inferRequest) { r.RawInputContents = nil },
			"InvalidArgument unable to find data for input tensor 'IN' for model 'm' in request."},
		"raw and typed": {func(r *inferRequest) { r.Inputs[0].Contents = &contents{IntContents: []int32{1}} },
			"InvalidArgument contents field must not be specified when using raw_input_contents for 'IN' for model 'm'"},
		"wrong typed": {typed(&contents{Fp32Contents: []float32{1}}),
			"InvalidArgument unexpected explicit tensor data for input tensor 'IN' for model 'm' of type 'FP32', expected datatype 'INT32'"},
		"two typed": {typed(&contents{IntContents: []int32{1}, Fp32Contents: []float32{1}}),
			"InvalidArgument unexpected explicit tensor data for input tensor 'IN' for model 'm', binary data was already supplied."},
		"input twice": {func(r *inferRequest) {
			r.Inputs = append(r.Inputs, r.Inputs[0])
			r.RawInputContents = append(r.RawInputContents, r.RawInputContents[0])
		}, "InvalidArgument [request id: <id_unknown>] input 'IN' already exists in request"},
		"input twice, without data": {func(r *inferRequest) {
			r.Inputs, r.RawInputContents = append(r.Inputs, r.Inputs[0]), nil
		}, "InvalidArgument [request id: <id_unknown>] input 'IN' already exists in request"},
		"input in shared memory": {func(r *inferRequest) {
			r.Inputs[0].Parameters = map[string]*parameter{"shared_memory_region": word, "shared_memory_byte_size": number}
		}, "NotFound Unable to find shared memory region: 'r'"},
		"output in shared memory": {outputWith(map[string]*parameter{"shared_memory_region": word}),
			"InvalidArgument 'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter for tensor 'OUT'"},
		"region no string": {outputWith(map[string]*parameter{"shared_memory_region": number}),
			"InvalidArgument invalid value type for 'shared_memory_region' parameter for tensor 'OUT', expected string_param."},
		"no classes": {outputWith(map[string]*parameter{"classification": minus}),
			"InvalidArgument invalid value for 'classification' parameter, expected >= 0"},
		"classes unsigned": {outputWith(map[string]*parameter{"classification": unsign}),
			"InvalidArgument invalid value type for 'classification' parameter, expected int64_param"},
		"sequence id": {with("sequence_id", unsign),
			"InvalidArgument invalid value type for 'sequence_id' parameter, expected int64_param or string_param."},
		"sequence id too long": {with("sequence_id", &parameter{
			ParameterChoice: &kservepb.InferParameter_StringParam{StringParam: strings.Repeat("x", 129)},
		}), "Unimplemented string correlation ID cannot be longer than 128 characters"},
		"sequence start": {with("sequence_start", number),
			"InvalidArgument invalid value type for 'sequence_start' parameter, expected bool_param."},
		"priority": {with("priority", word),
			"InvalidArgument invalid value type for 'priority' parameter, expected int64_param or uint64_param."},
		"priority negative": {with("priority", minus), "InvalidArgument invalid value for 'priority', expected value >= 0."},
		"timeout":           {with("timeout", unsign), "InvalidArgument invalid value type for 'timeout' parameter, expected int64_param."},
		"custom": {with("c", unsign),
			"InvalidArgument invalid value type for 'c' parameter, expected int64_param, bool_param, or string_param."},
		"reserved": {with("triton_x", number), "InvalidArgument parameter keys starting with 'triton_' are reserved for Triton usage. " +
			"Only the following keys starting with 'triton_' are allowed: triton_enable_empty_final_response"},
	} {
		req := request("")
		test.change(req)
		_, err := c.ModelInfer(ctx, req)
		expectStatus(t, name, err, test.want)
	}
}

func TestRepositoryRefusals(t *testing.T) {
	c, ctx := client(t, kservetest.Identity()), background(t)
	load := func(name string, p *kservepb.ModelRepositoryParameter) error {
		params := map[string]*kservepb.ModelRepositoryParameter{name: p}
		_, err := c.RepositoryModelLoad(ctx, &kservepb.RepositoryModelLoadRequest{ModelName: "m", Parameters: params})
		return err
	}
	text := &kservepb.ModelRepositoryParameter{ParameterChoice: &kservepb.ModelRepositoryParameter_StringParam{StringParam: "x"}}
	bytes := &kservepb.ModelRepositoryParameter{ParameterChoice: &kservepb.ModelRepositoryParameter_BytesParam{BytesParam: []byte("x")}}
	expectStatus(t, "config", load("config", text), "OK")
	expectStatus(t, "config of bytes", load("config", bytes),
		"InvalidArgument invalid value type for load parameter 'config', expected string_param.")
	expectStatus(t, "file of text", load("file:1/model.py", text),
		"InvalidArgument invalid value type for load parameter 'file:1/model.py', expected bytes_param.")
	expectStatus(t, "file alone", load("file:1/model.py", bytes), "Internal failed to load 'm', failed to poll")
	expectStatus(t, "unknown", load("foo", text), "InvalidArgument unrecognized load parameter 'foo'.")
	_, err := c.RepositoryModelUnload(ctx, &kservepb.RepositoryModelUnloadRequest{
		ModelName: "m", Parameters: map[string]*kservepb.ModelRepositoryParameter{"unload_dependents": text},
	})
	expectStatus(t, "unload", err, "InvalidArgument invalid value type for 'unload_dependents' parameter, expected bool_param.")
	_, err = c.RepositoryIndex(ctx, &kservepb.RepositoryIndexRequest{RepositoryName: "x"})
	expectStatus(t, "index", err, "Unimplemented 'repository_name' specification is not supported")
	_, err = c.SystemSharedMemoryStatus(ctx, &kservepb.SystemSharedMemoryStatusRequest{Name: "r"})
	expectStatus(t, "region", err, "NotFound Unable to find system shared memory region: 'r'")
	_, err = c.SystemSharedMemoryRegister(ctx, &kservepb.SystemSharedMemoryRegisterRequest{Name: "r"})
	expectStatus(t, "register", err, "Unimplemented")
	_, err = c.TraceSetting(ctx, &kservepb.TraceSettingRequest{})
	expectStatus(t, "trace", err, "Unavailable the server does not support tracing")
}

// Typed contents arrive as the bytes of the input's type.
func TestTypedContents(t *testing.T) {
	c, ctx := client(t, kservetest.Identity()), background(t)
	for datatype, test := range map[string]struct {
		contents *contents
		want     string
	}{
		"BOOL":   {&contents{BoolContents: []bool{true, false}}, "\x01\x00"},
		"UINT8":  {&contents{UintContents: []uint32{300, 1}}, "\x2c\x01"},
		"UINT16": {&contents{UintContents: []uint32{70000, 1}}, "\x70\x11\x01\x00"},
		"UINT32": {&contents{UintContents: []uint32{5, 1}}, "\x05\x00\x00\x00\x01\x00\x00\x00"},
		"UINT64": {&contents{Uint64Contents: []uint64{5}}, "\x05\x00\x00\x00\x00\x00\x00\x00"},
		"INT8":   {&contents{IntContents: []int32{200, -1}}, "\xc8\xff"},
		"INT16":  {&contents{IntContents: []int32{-2}}, "\xfe\xff"},
		"INT64":  {&contents{Int64Contents: []int64{-1}}, "\xff\xff\xff\xff\xff\xff\xff\xff"},
		"FP32":   {&contents{Fp32Contents: []float32{1}}, "\x00\x00\x80\x3f"},
		"FP64":   {&contents{Fp64Contents: []float64{1}}, "\x00\x00\x00\x00\x00\x00\xf0\x3f"},
	} {
		req := &inferRequest{ModelName: "all", Inputs: []*kservepb.ModelInferRequest_InferInputTensor{{
			Name: "I_" + datatype, Datatype: datatype, Shape: []int64{2}, Contents: test.contents,
		}}}
		resp, err := c.ModelInfer(ctx, req)
		if err != nil || string(resp.RawOutputContents[0]) != test.want {
			t.Errorf("%s: %v, %v, want %q", datatype, resp, err, test.want)
		}
	}
	req := &inferRequest{ModelName: "str", Inputs: []*kservepb.ModelInferRequest_InferInputTensor{{
		Name: "S", Datatype: "BYTES", Shape: []int64{2}, Contents: &contents{BytesContents: [][]byte{[]byte("a"), []byte("bcd")}},
	}}}
	resp, err := c.ModelInfer(ctx, req)
	if err != nil || string(resp.RawOutputContents[0]) != "\x01\x00\x00\x00a\x03\x00\x00\x00bcd" {
		t.Errorf("BYTES: %v, %v", resp, err)
	}
}

// A sentence that quotes a long name still fits a client's limit for headers.
func TestLongSentencesArrive(t *testing.T) {
	c, ctx := client(t, kservetest.Identity()), background(t)
	_, err := c.ModelConfig(ctx, &kservepb.ModelConfigRequest{Name: strings.Repeat("é", 100_000)})
	got := status.Convert(err)
	if got.Code() != codes.NotFound || !strings.HasPrefix(got.Message(), "Request for unknown model: 'é") || !strings.HasSuffix(got.Message(), "é…") {
		t.Errorf("%s %.60s", got.Code(), got.Message())
	}
}

// Whether a refused request reached its model is kept, whatever its status and its words.
func TestRefusalsSayWhatRan(t *testing.T) {
	svc := kservetest.Refusing()
	var log refusals.Log
	c := kservepb.NewGRPCInferenceServiceClient(dialWith(t, svc, grpcapi.Options{Options: kserve.Options{Refusals: &log}}))
	ids := []string{"early", "full", "late"}
	for _, id := range ids {
		if _, err := c.ModelInfer(background(t), request(id)); err == nil {
			t.Errorf("%s succeeded", id)
		}
	}
	if _, err := talk(background(t), t, c, request("early"), request("full"), request("late")); err != nil {
		t.Fatal(err)
	}
	strict := metadata.AppendToOutgoingContext(background(t), "triton_grpc_error", "true")
	late := request("late")
	late.ModelVersion = "1"
	if _, err := talk(strict, t, c, late); status.Code(err) != codes.InvalidArgument {
		t.Fatal(err)
	}
	ran := map[string]bool{}
	for _, g := range log.Read().Next().Groups {
		if g.Status == "INVALID_ARGUMENT" && g.Method == "ModelStreamInfer" { // the stream ended with it
			ran["strict "+g.Model+" "+g.Version+" "+g.Newest[0].ID] = g.Ran
			continue
		}
		ran[g.Method+" "+g.Newest[0].ID] = g.Ran
	}
	if !ran["strict m 1 late"] {
		t.Errorf("of an error that ends the stream is kept %v", ran)
	}
	for _, method := range []string{"ModelInfer", "ModelStreamInfer"} {
		for _, id := range ids {
			if got, kept := ran[method+" "+id]; !kept || got != (id == "late") {
				t.Errorf("%s %s: kept %v, ran %v", method, id, kept, got)
			}
		}
	}
}

// bytesCodec sends bytes as they are.
type bytesCodec struct{}

func (bytesCodec) Name() string                    { return "proto" }
func (bytesCodec) Marshal(v any) ([]byte, error)   { return v.([]byte), nil }
func (bytesCodec) Unmarshal(_ []byte, _ any) error { return nil }

// A message that cannot be read has one code and one sentence, on each road.
func TestUnreadableMessages(t *testing.T) {
	c, ctx := dial(t, kservetest.Identity()), background(t)
	for text, want := range map[string]string{
		"\xff\xff\xff": "cannot parse invalid wire-format data", "\x0a\x02\xff\xfe": "string field contains invalid UTF-8",
	} {
		for _, method := range []string{"ModelInfer", "ModelMetadata"} {
			var reply []byte
			err := c.Invoke(ctx, "/inference.GRPCInferenceService/"+method, []byte(text), &reply, grpc.ForceCodec(bytesCodec{}))
			got := status.Convert(err)
			if got.Code() != codes.Internal || !strings.HasPrefix(got.Message(), "Unable to parse request: ") || !strings.HasSuffix(got.Message(), want) {
				t.Errorf("%s %q: %s %s", method, text, got.Code(), got.Message())
			}
		}
	}
}
