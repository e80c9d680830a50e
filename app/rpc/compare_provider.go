package rpc

import (
	"context"
	"fmt"
	"slices"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/trial"
	"conch/app/workspace"
	"conch/configedit/backends"
	"conch/engine/kserve/kservepb"
)

// ListProviders lists on what a model can be loaded once more.
func (s *tryService) ListProviders(ctx context.Context, r *connect.Request[api.ListProvidersRequest]) (*connect.Response[api.ListProvidersResponse], error) {
	out := &api.ListProvidersResponse{}
	held, err := s.asks()
	if err != nil {
		return nil, err
	}
	defer held.Release()
	served, err := held.Client.ModelConfig(ctx, &kservepb.ModelConfigRequest{Name: r.Msg.Model})
	if err != nil || served.Config.GetBackend() != backends.ONNXRuntime || s.Workspace.Engine().Remote != nil {
		return connect.NewResponse(out), nil
	}
	builds, err := s.Runtimes.List(ctx)
	if err != nil {
		return nil, unmet(err)
	}
	for _, b := range builds.Here {
		if !b.Used {
			continue
		}
		engine := s.Workspace.Engine()
		out.Absent = trial.Absent(b, engine)
		m, _ := s.Workspace.Model(r.Msg.Model)
		for _, p := range trial.Offered(b, engine, served.Config, m.GetDevice()) {
			out.Providers = append(out.Providers, &api.Provider{Id: p.ID, Label: p.Label})
		}
	}
	return connect.NewResponse(out), nil
}

// startTrial loads the model of a request once more. key is the name of the repository, for the history, whose model is meant.
func (s *tryService) startTrial(
	ctx context.Context, key string, r *api.CompareAnswersRequest, step func(string) error,
) (*trial.Trial, trial.Order, error) {
	o, err := s.trialOrder(ctx, key, r.Request, r.Provider)
	if err != nil {
		return nil, o, err
	}
	if err := step(fmt.Sprintf("loading %s once more, on %s", r.Request.Model, o.Provider.Label)); err != nil {
		return nil, o, err
	}
	t, err := s.Trials.Start(ctx, o)
	return t, o, err
}

// trialOrder says what is loaded. All of it is of one repository, also its trust.
func (s *tryService) trialOrder(ctx context.Context, key string, r *api.InferRequest, provider string) (o trial.Order, err error) {
	p, known := trial.Find(provider)
	if !known {
		return o, invalid(fmt.Errorf("there is no provider %q", provider))
	}
	stay, err := s.Workspace.Stay("")
	if err != nil {
		return o, err
	}
	defer stay.End()
	if stay.HistoryKey() != key {
		return o, fmt.Errorf("%w meanwhile", workspace.ErrOtherRepository)
	}
	m, known := s.Workspace.Model(r.Model)
	switch {
	case !known:
		return o, fmt.Errorf("%w: %s", workspace.ErrNoModel, r.Model)
	case s.Workspace.Engine().Remote != nil:
		return o, fmt.Errorf("%w: it loads no model a second time", workspace.ErrUntold)
	case m.FilesChanged || m.FromClient || m.State != api.ModelState_MODEL_STATE_READY:
		return o, fmt.Errorf("%w: what serves of %s is not what its files say now, so the two would not be the same model. Load it first", trial.ErrFailed, r.Model)
	}
	version := r.Version
	if version == 0 {
		version = newestReady(m)
	}
	client, err := stay.Client()
	if err != nil {
		return o, err
	}
	served, err := client.ModelConfig(ctx, &kservepb.ModelConfigRequest{Name: r.Model, Version: fmt.Sprint(version)})
	if err != nil {
		return o, err
	}
	if backend := served.Config.GetBackend(); backend != backends.ONNXRuntime {
		return o, fmt.Errorf("%w: only ONNX models have providers, and %s is run by %q", trial.ErrFailed, r.Model, backend)
	}
	var gpus []int32
	for _, g := range s.Workspace.Engine().Gpus {
		gpus = append(gpus, g.Index)
	}
	return trial.Order{
		Provider: p, Config: served.Config, Dir: m.Dir, Version: version, GPUs: gpus,
		Trusted: s.Workspace.Repository().GetAccess().GetTrust() == api.Access_TRUST_TRUSTED,
	}, nil
}

func (s *tryService) closeTrial(t *trial.Trial) {
	if err := t.Close(); err != nil {
		s.Log.Warn("a model that was loaded for a comparison left something", "error", err)
	}
}

// newestReady is the version that answers requests that name none.
func newestReady(m *api.ModelSummary) int64 {
	for _, v := range slices.Backward(m.Versions) {
		if v.State == api.ModelState_MODEL_STATE_READY {
			return v.Number
		}
	}
	return 0
}
