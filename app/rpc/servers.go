package rpc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/remote"
	"conch/app/servers"
	"conch/app/workspace"
)

type serverService struct{ *Server }

// ListServers lists the named servers, without secrets.
func (s *serverService) ListServers(ctx context.Context, _ *connect.Request[api.ListServersRequest]) (*connect.Response[api.ListServersResponse], error) {
	all, err := s.Servers.All(ctx)
	if err != nil {
		return nil, err
	}
	out := &api.ListServersResponse{Secrets: s.Servers.Secrets()}
	for _, one := range all {
		out.Servers = append(out.Servers, serverMessage(one))
	}
	return connect.NewResponse(out), nil
}

func serverMessage(s servers.Server) *api.Server {
	out := &api.Server{
		Name: s.Name, Address: s.URL(), Metrics: s.Metrics, CaFile: s.CAFile, CertFile: s.CertFile, KeyFile: s.KeyFile, Kept: s.Kept,
	}
	for _, h := range s.Headers {
		out.Headers = append(out.Headers, &api.Header{Name: h.Name})
	}
	return out
}

// SaveServer keeps a server. What is kept of one that gets another name goes with it.
func (s *serverService) SaveServer(ctx context.Context, r *connect.Request[api.SaveServerRequest]) (*connect.Response[api.SaveServerResponse], error) {
	if err := s.Servers.Save(ctx, entered(r.Msg.Server), r.Msg.Replaces); err != nil {
		return nil, invalid(err)
	}
	if was, is := r.Msg.Replaces, r.Msg.Server.GetName(); was != "" && was != is {
		if err := s.Store.RenameRepository(ctx, workspace.RemoteKey(was), workspace.RemoteKey(is)); err != nil {
			return nil, err
		}
	}
	return connect.NewResponse(&api.SaveServerResponse{}), nil
}

// entered returns what a person entered, with the files as they mean them.
func entered(m *api.Server) remote.Options {
	out := remote.Options{
		Name: m.GetName(), Address: m.GetAddress(), Metrics: m.GetMetrics(),
		CAFile: m.GetCaFile(), CertFile: m.GetCertFile(), KeyFile: m.GetKeyFile(),
	}
	for _, h := range m.GetHeaders() {
		out.Headers = append(out.Headers, remote.Header{Name: h.Name, Value: h.Value})
	}
	return out
}

// RemoveServer forgets a server. One that is shown is left first.
func (s *serverService) RemoveServer(ctx context.Context, r *connect.Request[api.RemoveServerRequest]) (*connect.Response[api.RemoveServerResponse], error) {
	if s.Workspace.Engine().GetRemote().GetName() == r.Msg.Name {
		if err := s.Workspace.Attach(""); err != nil {
			return nil, err
		}
	}
	if err := s.Servers.Remove(ctx, r.Msg.Name); err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.RemoveServerResponse{}), nil
}

// testFor is how long a person waits for the answer of a server.
const testFor = 8 * time.Second

// TestServer asks a server what it is.
func (s *serverService) TestServer(ctx context.Context, r *connect.Request[api.TestServerRequest]) (*connect.Response[api.TestServerResponse], error) {
	opts, err := s.Servers.Complete(entered(r.Msg.Server), r.Msg.Replaces)
	if err != nil {
		return nil, invalid(err)
	}
	ctx, cancel := context.WithTimeout(ctx, testFor)
	defer cancel()
	about, err := remote.Ask(ctx, opts)
	if err != nil {
		return nil, connect.NewError(connect.CodeUnavailable, errors.New(remote.Reason(err, testFor)))
	}
	models := fmt.Sprintf("%d models", about.Models)
	if about.Models == 1 {
		models = "1 model"
	}
	return connect.NewResponse(&api.TestServerResponse{Text: fmt.Sprintf("%s %s answers, with %s", about.Name, about.Version, models)}), nil
}

// Attach shows a server, or the engine of this machine. The next start shows it again.
func (s *serverService) Attach(ctx context.Context, r *connect.Request[api.AttachRequest]) (*connect.Response[api.AttachResponse], error) {
	if err := s.Workspace.Attach(r.Msg.Name); err != nil {
		return nil, err
	}
	if err := s.Servers.NoteShown(ctx, r.Msg.Name); err != nil {
		s.Log.Warn("the next start will not show this server", "server", r.Msg.Name, "error", err)
	}
	return connect.NewResponse(&api.AttachResponse{}), nil
}
