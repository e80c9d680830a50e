package rpc

import (
	"context"
	"fmt"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apimessage"
	"conch/app/language"
	"conch/engine/kserve/enginepb"
)

// GetGraph draws an ensemble, as it is on disk or as it is being typed, or a model that calls others, with the calls that
// were seen.
func (s *modelService) GetGraph(ctx context.Context, r *connect.Request[api.GetGraphRequest]) (*connect.Response[api.GetGraphResponse], error) {
	analysis, m, err := s.judged(r.Msg.Name, r.Msg.Text)
	if err != nil {
		return nil, err
	}
	var out *api.GetGraphResponse
	if graph := analysis.Graph(m); graph != nil {
		out = apimessage.Graph(m.Decoded().File, graph, analysis)
	} else if s.mayCall(r.Msg.Name, m) {
		out = apimessage.GraphOfOne(m)
	} else {
		return nil, connect.NewError(connect.CodeFailedPrecondition, fmt.Errorf("%s is not an ensemble and has called no other model, so it has no graph", r.Msg.Name))
	}
	calls := func(model string) *enginepb.ListCallsResponse { return s.callsOf(ctx, model) }
	apimessage.AddCalls(out, calls, analysis)
	return connect.NewResponse(out), nil
}

// mayCall reports whether a model was seen calling others, or is a program that may do so.
func (s *modelService) mayCall(name string, m *language.Model) bool {
	summary, ok := s.Workspace.Model(name)
	return ok && len(summary.Calls) > 0 || m.Effective().GetBackend() == "python"
}

// callsOf returns the calls that a model was seen making; nil for none, and where the engine does not tell.
func (s *modelService) callsOf(ctx context.Context, model string) *enginepb.ListCallsResponse {
	summary, ok := s.Workspace.Model(model)
	if !ok || len(summary.Calls) == 0 {
		return nil
	}
	client, err := s.Workspace.Private("calls of other models")
	if err != nil {
		return nil
	}
	answer, err := client.ListCalls(ctx, &enginepb.ListCallsRequest{Model: model})
	if err != nil {
		return nil // the graph is drawn without them until the engine answers again
	}
	return answer
}
