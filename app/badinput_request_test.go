//go:build unix

package app_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"conch/app/api"
	"conch/app/apptest"
	"conch/engine/kserve/kservepb"
)

// TestBadRequests sends bad requests through each protocol. Each is refused with a message, and the
// engine keeps running.
func TestBadRequests(t *testing.T) {
	w := openExamples(t)
	before := w.Until(t, "all are ready", apptest.AllReady)
	t.Run("HTTP", func(t *testing.T) { badHTTP(t, before.Engine.HttpAddress) })
	t.Run("gRPC", func(t *testing.T) { badGRPC(t, before.Engine.GrpcAddress) })
	t.Run("try", func(t *testing.T) { badTries(t, w) })
	after := w.Until(t, "all are still ready", apptest.AllReady)
	if after.Engine.Pid != before.Engine.Pid || after.Engine.Restarts != 0 {
		t.Errorf("the engine was started again: %v", after.Engine)
	}
	if out := apptest.Call(t, w.Try.Infer, apptest.Sum()); !out.Ok {
		t.Errorf("a good request gets %v", out)
	}
}

const goodTensor = `{"name":"%s","datatype":"INT32","shape":[1,16],"data":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}`

func badHTTP(t *testing.T, address string) {
	second := fmt.Sprintf(goodTensor, "INPUT1")
	first := func(replace ...string) string {
		return `{"inputs":[` + strings.NewReplacer(replace...).Replace(fmt.Sprintf(goodTensor, "INPUT0")) + "," + second + "]}"
	}
	values := "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]"
	for name, test := range map[string]struct{ body, want string }{
		"no JSON":         {"{", "failed to parse the request JSON buffer"},
		"no object":       {"[]", "inputs"},
		"no inputs":       {"{}", "inputs"},
		"inputs a word":   {`{"inputs":"x"}`, "inputs"},
		"one missing":     {`{"inputs":[` + second + "]}", "expected 2 inputs but got 1"},
		"unknown name":    {first("INPUT0", "INPUT9"), "INPUT9"},
		"one twice":       {first("INPUT0", "INPUT1"), "already exists"},
		"wrong type":      {first("INT32", "FP32"), "data-type is 'FP32'"},
		"no such type":    {first("INT32", "INT33"), "invalid datatype"},
		"other shape":     {first("[1,16]", "[1,4,4]"), "unexpected shape"},
		"no batch":        {first("[1,16]", "[16]"), "INPUT"},
		"negative shape":  {first("[1,16]", "[-1,16]"), "shape"},
		"huge shape":      {first("[1,16]", "[4611686018427387904,16]"), "Shape does not match"},
		"shape overflows": {first("[1,16]", "[4294967296,4294967296]"), "Shape does not match"},
		"shape no number": {first("[1,16]", "[99999999999999999999]"), "shape"},
		"10,000 dims":     {first("[1,16]", "["+strings.Repeat("1,", 10_000)+"16]"), "unexpected shape"},
		"too few":         {first(values, "[1]"), "Shape does not match"},
		"too many":        {first(values, "["+strings.Repeat("1,", 5000)+"1]"), "Shape does not match"},
		"words":           {first(values, `["a"]`), "data"},
		"NaN":             {first(values, "["+strings.Repeat("NaN,", 15)+"NaN]"), "data"},
		"deep":            {first(values, strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)), "nesting depth"},
		"binary, no data": {first(`"data":`+values, `"parameters":{"binary_data_size":64}`), "INPUT0"},
		"unknown output":  {`{"outputs":[{"name":"NOPE"}],` + first()[1:], "NOPE"},
	} {
		post(t, name, "http://"+address+"/v2/models/add_sub/infer", test.body, test.want)
	}
	post(t, "unknown model", "http://"+address+"/v2/models/nobody/infer", first(), "nobody")
	post(t, "unknown version", "http://"+address+"/v2/models/add_sub/versions/9/infer", first(), "version 9 is not found")
}

// post expects a refusal whose error has these words.
func post(t *testing.T, name, url, body, want string) {
	t.Helper()
	answer, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	var said struct{ Error string }
	if err := json.Unmarshal(text, &said); err != nil || answer.StatusCode < 400 || !strings.Contains(said.Error, want) {
		t.Errorf("%s: %d %.300s, want %q", name, answer.StatusCode, text, want)
	}
}

func badGRPC(t *testing.T, address string) {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	client := kservepb.NewGRPCInferenceServiceClient(conn)
	for name, test := range map[string]struct {
		change func(r *kservepb.ModelInferRequest)
		code   codes.Code
		want   string
	}{
		"nothing":        {func(r *kservepb.ModelInferRequest) { r.Inputs, r.RawInputContents = nil, nil }, codes.InvalidArgument, "expected 2 inputs but got 0"},
		"too few bytes":  {func(r *kservepb.ModelInferRequest) { r.RawInputContents[0] = []byte("abc") }, codes.InvalidArgument, "Expected 64, got 3"},
		"too many bytes": {func(r *kservepb.ModelInferRequest) { r.RawInputContents[0] = make([]byte, 1<<20) }, codes.InvalidArgument, "Expected 64, got 1048576"},
		"no bytes":       {func(r *kservepb.ModelInferRequest) { r.RawInputContents = nil }, codes.InvalidArgument, "INPUT"},
		"unknown name":   {func(r *kservepb.ModelInferRequest) { r.Inputs[0].Name = "INPUT9" }, codes.InvalidArgument, "INPUT9"},
		"no such type":   {func(r *kservepb.ModelInferRequest) { r.Inputs[0].Datatype = "INT33" }, codes.InvalidArgument, "data-type"},
		"no shape":       {func(r *kservepb.ModelInferRequest) { r.Inputs[0].Shape = nil }, codes.InvalidArgument, "shape"},
		"huge shape":     {func(r *kservepb.ModelInferRequest) { r.Inputs[0].Shape = []int64{1 << 62, 16} }, codes.InvalidArgument, "INPUT"},
		"shapes overflow": {func(r *kservepb.ModelInferRequest) {
			r.Inputs[0].Shape, r.Inputs[1].Shape = []int64{1 << 62, 4}, []int64{1 << 62, 4}
		}, codes.InvalidArgument, "add_sub"},
		"negative shape":  {func(r *kservepb.ModelInferRequest) { r.Inputs[0].Shape = []int64{-1, 16} }, codes.InvalidArgument, "INPUT"},
		"unknown model":   {func(r *kservepb.ModelInferRequest) { r.ModelName = "nobody" }, codes.NotFound, "nobody"},
		"unknown version": {func(r *kservepb.ModelInferRequest) { r.ModelVersion = "9" }, codes.NotFound, "version 9"},
		"version no word": {func(r *kservepb.ModelInferRequest) { r.ModelVersion = "x" }, codes.InvalidArgument, "version"},
	} {
		r := sumOverGRPC()
		test.change(r)
		_, err := client.ModelInfer(t.Context(), r)
		if status.Code(err) != test.code || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %v %q", name, err, test.code, test.want)
		}
	}
}

func sumOverGRPC() *kservepb.ModelInferRequest {
	r := &kservepb.ModelInferRequest{ModelName: "add_sub"}
	for _, name := range []string{"INPUT0", "INPUT1"} {
		r.Inputs = append(r.Inputs, &kservepb.ModelInferRequest_InferInputTensor{Name: name, Datatype: "INT32", Shape: []int64{1, 16}})
		r.RawInputContents = append(r.RawInputContents, binary.LittleEndian.AppendUint32(make([]byte, 60), 1))
	}
	return r
}

func badTries(t *testing.T, w *window) {
	asJSON := func(text string) func(in *api.InferInput) {
		return func(in *api.InferInput) { in.Data = &api.InferInput_Json{Json: text} }
	}
	for name, test := range map[string]struct {
		change func(in *api.InferInput)
		want   string
	}{
		"empty name":      {func(in *api.InferInput) { in.Name = "" }, "unexpected inference input ''"},
		"no such type":    {func(in *api.InferInput) { in.Datatype = "INT33" }, `"INT33" is not a data type`},
		"wrong type":      {func(in *api.InferInput) { in.Datatype = "INT64" }, "data-type is 'INT64'"},
		"no shape":        {func(in *api.InferInput) { in.Shape = nil }, "takes 1 elements, 16 were given"},
		"negative shape":  {func(in *api.InferInput) { in.Shape = []int64{-1, 16} }, "dimension 1 of the shape is -1"},
		"huge shape":      {func(in *api.InferInput) { in.Shape = []int64{1 << 62, 16} }, "the shape [4611686018427387904, 16] has more than"},
		"no JSON":         {asJSON("[1,"), "not a JSON array"},
		"no values":       {asJSON(""), "there are no values"},
		"an object":       {asJSON("{}"), "not a JSON array"},
		"NaN":             {asJSON("[NaN]"), "element 1 is NaN"},
		"words":           {asJSON(`["a"]`), `element 1 is "a"`},
		"too large":       {asJSON("[4294967296]"), "element 1 is 4294967296"},
		"deep":            {asJSON(strings.Repeat("[", 100_000)), "nested too deeply"},
		"something after": {asJSON("[1] x"), "nothing may follow"},
		"too few bytes":   {func(in *api.InferInput) { in.Data = &api.InferInput_Raw{Raw: []byte("abc")} }, "Expected 64, got 3"},
	} {
		r := apptest.Sum()
		test.change(r.Inputs[0])
		out := apptest.Call(t, w.Try.Infer, r)
		if out.Ok || !strings.Contains(out.Error, test.want) || out.ErrorCode != "INVALID_ARGUMENT" {
			t.Errorf("%s: %v %s %.300q, want %q", name, out.Ok, out.ErrorCode, out.Error, test.want)
		}
	}
	nan := &api.InferRequest{Model: "digits", Inputs: []*api.InferInput{
		{Name: "image", Datatype: "FP32", Shape: []int64{1, 64}, Data: &api.InferInput_Json{Json: "[" + strings.Repeat("NaN,", 63) + "-Infinity]"}},
	}}
	if out := apptest.Call(t, w.Try.Infer, nan); !out.Ok {
		t.Errorf("NaN is a number to a model: %v", out.Error)
	}
}
