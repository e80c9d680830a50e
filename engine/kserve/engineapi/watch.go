package engineapi

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/kserve/enginepb"
	"conch/engine/model"
)

// Watch sends the whole state, then the changes. A slow reader gets several changes merged into
// one.
func (s *Server) Watch(_ *enginepb.WatchRequest, stream grpc.ServerStreamingServer[enginepb.Event]) error {
	m := s.engine.Manager()
	w := m.Watch()
	defer w.Close()
	ctx, cancel := s.untilClosed(stream.Context())
	defer cancel()
	if err := stream.Send(s.everything(m)); err != nil {
		return err
	}
	for {
		wait, done := context.WithTimeout(ctx, heartbeat)
		changes, err := w.Next(wait)
		done()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			err = stream.Send(&enginepb.Event{Heartbeat: true})
		default:
			err = s.send(stream, changes)
		}
		if err != nil {
			return err
		}
	}
}

func (s *Server) everything(m *control.Manager) *enginepb.Event {
	event := &enginepb.Event{Reset_: true, Server: s.describe()}
	for _, name := range m.Names() {
		if status, ok := m.Status(name); ok {
			event.Models = append(event.Models, modelMessage(status))
		}
	}
	return event
}

// send sends states before happenings, so that a reader of a load's happening finds the model
// loaded.
func (s *Server) send(stream grpc.ServerStreamingServer[enginepb.Event], c control.Changes) error {
	event := &enginepb.Event{}
	if c.Server || len(c.Happenings) > 0 { // the runtime's version is known after the first load
		event.Server = s.describe()
	}
	for _, name := range c.Models {
		if status, ok := s.engine.Manager().Status(name); ok {
			event.Models = append(event.Models, modelMessage(status))
		} else {
			event.Removed = append(event.Removed, name)
		}
	}
	for _, h := range c.Happenings {
		event.Happening = happeningMessage(h)
		if err := stream.Send(event); err != nil {
			return err
		}
		event = &enginepb.Event{}
	}
	if event.Server == nil && event.Models == nil && event.Removed == nil {
		return nil
	}
	return stream.Send(event)
}

func happeningMessage(h control.Happening) *enginepb.Happening {
	return &enginepb.Happening{
		Kind: enginepb.Happening_Kind(h.Kind), TimeMs: h.Time.UnixMilli(),
		Model: h.Model, Version: h.Version, Reason: h.Reason, TookNs: uint64(max(h.Took, 0)),
		Imports: h.Imports,
	}
}

func deviceMemory(list []backend.Memory) (out []*enginepb.DeviceMemory) {
	for _, held := range list {
		out = append(out, &enginepb.DeviceMemory{Device: held.Device.String(), Bytes: held.Bytes})
	}
	return out
}

func modelMessage(s control.ModelStatus) *enginepb.Model {
	m := &enginepb.Model{
		Name: s.Name, Backend: s.Backend, Runnable: s.Runnable, LoadError: s.LoadError, SinceMs: milliseconds(s.Since), LoadedMs: milliseconds(s.Loaded),
		Instances: uint32(s.Instances), MemoryBytes: s.Memory, Phase: s.Phase, LoadedExplicitly: s.Explicit,
		Reload: string(s.Reload), FilesChanged: s.Changed, ChangedImports: s.ChangedImports, Namespace: s.Namespace,
		LoadingSinceMs: milliseconds(s.Loading), FromClient: s.FromClient, PartUnloaded: s.PartUnloaded,
		WaitsForTrust: s.WaitsForTrust, WithoutStrict: s.WithoutStrict, Calls: calledNames(s.Calls),
		Offer: offerMessage(s.Offer), Memory: deviceMemory(s.Devices), Devices: s.Runs,
	}
	for _, n := range s.Elsewhere {
		on := &enginepb.Elsewhere{Badge: n.Badge(), Text: n.Text(), Unused: n.Unused, Why: n.Why, ByBuild: n.ByBuild}
		if !n.Idle {
			on.Group = proto.Uint32(uint32(n.Index))
		}
		m.Elsewhere = append(m.Elsewhere, on)
	}
	for _, v := range s.Versions {
		m.Versions = append(m.Versions, &enginepb.Version{
			Number: v.Number, State: stateOf(v.State), Reason: v.Reason, NewestFailed: v.NewestFailed, Died: v.Died, AgainMs: milliseconds(v.Again),
		})
	}
	return m
}

func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func stateOf(s model.State) enginepb.State {
	switch s {
	case model.Loading:
		return enginepb.State_STATE_LOADING
	case model.Ready:
		return enginepb.State_STATE_READY
	case model.Unloading:
		return enginepb.State_STATE_UNLOADING
	case model.Unavailable:
		return enginepb.State_STATE_UNAVAILABLE
	}
	return enginepb.State_STATE_UNSPECIFIED
}
