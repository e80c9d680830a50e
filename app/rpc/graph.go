package rpc

import (
	"context"
	"fmt"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apimessage"
)

// GetEnsembleGraph draws an ensemble, as it is on disk or as it is being typed.
func (s *modelService) GetEnsembleGraph(_ context.Context, r *connect.Request[api.GetEnsembleGraphRequest]) (*connect.Response[api.GetEnsembleGraphResponse], error) {
	analysis, m, err := s.judged(r.Msg.Name, r.Msg.Text)
	if err != nil {
		return nil, err
	}
	graph := analysis.Graph(m)
	if graph == nil {
		return nil, connect.NewError(connect.CodeFailedPrecondition, fmt.Errorf("%s is not an ensemble, so it has no graph", r.Msg.Name))
	}
	return connect.NewResponse(apimessage.Graph(m.Decoded().File, graph, analysis)), nil
}
