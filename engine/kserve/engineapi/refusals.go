package engineapi

import (
	"context"
	"time"

	"google.golang.org/grpc"

	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/refusals"
)

// refusalsPause is the time between two messages about refusals, so that a flood of requests is not one of messages.
const refusalsPause = 250 * time.Millisecond

// WatchRefusals sends all refusals that are kept, then what changes, until the client or the server ends. When nothing
// changes it sends empty messages, as signs of life.
func (s *Server) WatchRefusals(_ *enginepb.WatchRefusalsRequest, stream grpc.ServerStreamingServer[enginepb.Refusals]) error {
	ctx, cancel := s.untilClosed(stream.Context())
	defer cancel()
	reader := s.refusals.Read()
	for reset := true; ; reset = false {
		if err := stream.Send(refusalsMessage(reader.Next(), reset)); err != nil {
			return err
		}
		select {
		case <-time.After(refusalsPause):
		case <-ctx.Done():
			return nil
		}
		wait, done := context.WithTimeout(ctx, heartbeat)
		_ = reader.Wait(wait) // also when nothing came: a message is due
		done()
	}
}

// untilClosed returns a context that also ends when the server closes.
func (s *Server) untilClosed(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-s.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

func refusalsMessage(c refusals.Changes, reset bool) *enginepb.Refusals {
	m := &enginepb.Refusals{Reset_: reset, Removed: c.Removed, Forgotten: c.Forgotten}
	for _, g := range c.Groups {
		group := &enginepb.Refusal{
			Id: g.ID, Port: g.Port, Method: g.Method, Path: g.Path, Model: g.Model, Version: g.Version, Status: g.Status,
			Reason: g.Reason, Count: g.Count, FirstMs: g.First.UnixMilli(), Alike: g.Alike, Ran: g.Ran,
		}
		for _, r := range g.Newest {
			group.Newest = append(group.Newest, &enginepb.RefusedRequest{TimeMs: r.Time.UnixMilli(), Client: r.Client, Id: r.ID})
		}
		m.Changed = append(m.Changed, group)
	}
	return m
}
