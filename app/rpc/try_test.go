package rpc

import (
	"context"
	"path/filepath"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"conch/app/enginetest"
	"conch/engine/kserve/kservepb"
)

// A refusal is the engine's answer. Where the engine has ended, or the call was stopped on the way,
// there is no answer.
func TestUnanswered(t *testing.T) {
	refuses := func(context.Context, *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
		return nil, status.Error(codes.Unavailable, "exceeds maximum queue size")
	}
	engine := &enginetest.Fake{OnInfer: refuses}
	socket := filepath.Join(t.TempDir(), "engine")
	stop, err := engine.Serve(socket)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ask := func() (code string, unanswered bool) {
		out := new(tryService).send(t.Context(), kservepb.NewGRPCInferenceServiceClient(conn), &kservepb.ModelInferRequest{}, traceTimes)
		return out.ErrorCode, out.Unanswered
	}
	if code, unanswered := ask(); code != "UNAVAILABLE" || unanswered {
		t.Errorf("a refusal: %s, unanswered: %v", code, unanswered)
	}
	stop()
	if code, unanswered := ask(); code != "UNAVAILABLE" || !unanswered {
		t.Errorf("without an engine: %s, unanswered: %v", code, unanswered)
	}
}
