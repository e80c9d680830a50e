//go:build unix

package apptest

import (
	"context"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/api/apiconnect"
	"conch/configedit/folder"
)

// Sum asks add_sub for 16 sums.
func Sum() *api.InferRequest {
	values := "[[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]]"
	return &api.InferRequest{Model: "add_sub", Inputs: []*api.InferInput{
		{Name: "INPUT0", Datatype: "INT32", Shape: []int64{1, 16}, Data: &api.InferInput_Json{Json: values}},
		{Name: "INPUT1", Datatype: "INT32", Shape: []int64{1, 16}, Data: &api.InferInput_Json{Json: values}},
	}}
}

// Try is the service of requests. It waits for the end of a request.
type Try struct{ apiconnect.TryServiceClient }

// Infer returns the last message of an answer.
func (c Try) Infer(ctx context.Context, r *connect.Request[api.InferRequest]) (*connect.Response[api.InferResponse], error) {
	stream, err := c.TryServiceClient.Infer(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = stream.Close() }()
	var last *api.InferResponse
	for stream.Receive() {
		last = stream.Msg()
	}
	return connect.NewResponse(last), stream.Err()
}

// Plan plans to rename the tensor "prepared" between the steps of read_digit.
func Plan(t *testing.T, w *Window, text, name string) *api.PlanRenameResponse {
	t.Helper()
	offset := strings.LastIndex(text, `"prepared"`) + 1
	return Call(t, w.Editor.PlanRename, &api.PlanRenameRequest{Model: "read_digit", Path: folder.ConfigName, Text: text, Offset: uint32(offset), Name: name})
}

// Writes asks to write the files of a plan.
func Writes(files []*api.PlannedFile) *api.WriteFilesRequest {
	out := &api.WriteFilesRequest{}
	for _, f := range files {
		out.Files = append(out.Files, &api.FileWrite{Model: f.Model, Path: f.Path, Text: f.Text, BaseVersion: f.Version, DraftVersion: f.DraftVersion})
	}
	return out
}
