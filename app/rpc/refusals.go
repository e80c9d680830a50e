package rpc

import (
	"context"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/engine/kserve/enginepb"
)

// WatchRefusals passes on what the engine says of refused requests, until the engine ends or a send fails.
func (s *tryService) WatchRefusals(ctx context.Context, _ *connect.Request[api.WatchRefusalsRequest], out *connect.ServerStream[api.WatchRefusalsResponse]) error {
	client, err := s.Workspace.Private("requests that it refused")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx) // a stream that is not read to its end must be cancelled
	defer cancel()
	in, err := client.WatchRefusals(ctx, &enginepb.WatchRefusalsRequest{})
	if err != nil {
		return err
	}
	for {
		m, err := in.Recv()
		if err != nil {
			return err
		}
		if err := out.Send(refusals(m)); err != nil {
			return err
		}
	}
}

func refusals(m *enginepb.Refusals) *api.WatchRefusalsResponse {
	out := &api.WatchRefusalsResponse{Reset_: m.Reset_, Removed: m.Removed, Forgotten: m.Forgotten}
	for _, r := range m.Changed {
		group := &api.Refusal{
			Id: r.Id, Port: r.Port, Method: r.Method, Path: r.Path, Model: r.Model, Version: r.Version, Status: r.Status,
			Reason: r.Reason, Count: r.Count, First: r.FirstMs, Alike: r.Alike, Ran: r.Ran,
		}
		for _, one := range r.Newest {
			group.Newest = append(group.Newest, &api.RefusedRequest{Time: one.TimeMs, Client: one.Client, Id: one.Id})
		}
		out.Changed = append(out.Changed, group)
	}
	return out
}
