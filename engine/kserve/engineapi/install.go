package engineapi

import (
	"cmp"
	"context"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine/backend"
	"conch/engine/kserve"
	"conch/engine/kserve/enginepb"
)

// installers are the backends that install packages.
func (s *Server) installers() (list []backend.Installer) {
	for _, b := range s.engine.Backends() {
		if i, ok := b.(backend.Installer); ok {
			list = append(list, i)
		}
	}
	return list
}

// Install lets the load of a model install what its offer names, and loads the model.
func (s *Server) Install(ctx context.Context, r *enginepb.InstallRequest) (*enginepb.InstallResponse, error) {
	model, ok := s.engine.Manager().Status(r.Model)
	if !ok || model.Offer == nil || model.Offer.ID != r.Offer {
		return nil, status.Errorf(codes.FailedPrecondition, "model '%s' does not ask for these packages any more", r.Model)
	}
	for _, i := range s.installers() {
		i.Allow(r.Offer)
	}
	if err := s.engine.Load(ctx, r.Model, kserve.LoadOptions{Force: true}); err != nil {
		return nil, status.Error(kserve.GRPCCode(err), err.Error())
	}
	return &enginepb.InstallResponse{}, nil
}

// ListMissing returns the backends that lack packages. One that cannot be asked is left out: a load says why.
func (s *Server) ListMissing(ctx context.Context, _ *enginepb.ListMissingRequest) (*enginepb.ListMissingResponse, error) {
	out := &enginepb.ListMissingResponse{}
	for _, b := range s.engine.Backends() {
		needy, ok := b.(backend.Needy)
		if !ok {
			continue
		}
		if m, err := needy.Missing(ctx); err == nil && m != nil {
			out.Missing = append(out.Missing, &enginepb.Missing{Backend: b.Name(), Modules: m.Modules, Packages: m.Packages, Python: m.Python})
		}
	}
	return out, nil
}

// ListEnvironments returns what was installed, those that were used last first.
func (s *Server) ListEnvironments(context.Context, *enginepb.ListEnvironmentsRequest) (*enginepb.ListEnvironmentsResponse, error) {
	out, seen := &enginepb.ListEnvironmentsResponse{}, map[string]bool{}
	for _, i := range s.installers() {
		for _, e := range i.Environments() {
			if seen[e.Dir] {
				continue
			}
			seen[e.Dir] = true
			out.Environments = append(out.Environments, &enginepb.Environment{
				Id: e.ID, MadeFor: e.For, Packages: e.Packages, Python: e.Python, Dir: e.Dir, Bytes: uint64(max(e.Bytes, 0)),
				MadeMs: e.Made.UnixMilli(), UsedMs: e.Used.UnixMilli(), InUse: e.InUse,
			})
		}
	}
	slices.SortStableFunc(out.Environments, func(a, b *enginepb.Environment) int { return cmp.Compare(b.UsedMs, a.UsedMs) })
	return out, nil
}

// RemoveEnvironment removes what was installed, unless a process uses it.
func (s *Server) RemoveEnvironment(ctx context.Context, r *enginepb.RemoveEnvironmentRequest) (*enginepb.RemoveEnvironmentResponse, error) {
	for _, i := range s.installers() {
		for _, e := range i.Environments() {
			if e.ID != r.Id {
				continue
			}
			if err := i.RemoveEnvironment(ctx, e.ID); err != nil {
				return nil, status.Errorf(codes.FailedPrecondition, "the packages for %s are not removed from %s: %v", e.For, e.Dir, err)
			}
			return &enginepb.RemoveEnvironmentResponse{}, nil
		}
	}
	return nil, status.Errorf(codes.NotFound, "there is no environment '%s' any more", r.Id)
}

// offerMessage returns nil for no offer.
func offerMessage(o *backend.Offer) *enginepb.Offer {
	if o == nil {
		return nil
	}
	return &enginepb.Offer{Id: o.ID, Packages: o.Packages, From: o.From, Weight: o.Weight}
}
