package rpc

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/difference"
	"conch/app/language"
	"conch/app/workspace"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
)

// CompareServer says what would change on the server that is shown if the repository, as it is saved,
// were deployed there.
func (s *serverService) CompareServer(context.Context, *connect.Request[api.CompareServerRequest]) (*connect.Response[api.CompareServerResponse], error) {
	here, err := s.Workspace.OnDisk()
	if err != nil {
		return nil, err
	}
	there := s.Workspace.ServedStates()
	if there == nil {
		return nil, connect.NewError(connect.CodeFailedPrecondition, fmt.Errorf("no server is shown to compare with: choose one in the menu of servers"))
	}
	names := map[string]bool{}
	for _, name := range here.Names() {
		names[name] = true
	}
	for name := range there {
		names[name] = true
	}
	out := &api.CompareServerResponse{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		m, _ := here.Model(name)
		out.Models = append(out.Models, s.differenceOf(name, m, there[name]))
	}
	return connect.NewResponse(out), nil
}

// differenceOf compares one model; here or there is nil where the model is missing.
func (s *serverService) differenceOf(name string, here *language.Model, there *enginepb.Model) *api.ModelDifference {
	out := &api.ModelDifference{Model: name}
	if there != nil {
		out.StateThere, out.Note = workspace.StateOf(there)
		for _, v := range there.Versions {
			if v.State == enginepb.State_STATE_READY {
				out.VersionsThere = append(out.VersionsThere, v.Number)
			}
		}
	}
	if here == nil {
		out.Kind = api.ModelDifference_KIND_MISSING_HERE
		return out
	}
	for _, v := range here.Scan.Versions {
		out.VersionsHere = append(out.VersionsHere, v.Number)
	}
	out.VersionsHere = derive.Versions(here.Effective().GetVersionPolicy(), out.VersionsHere)
	if there == nil {
		out.Kind = api.ModelDifference_KIND_MISSING_THERE
		return out
	}
	served, known := s.Workspace.Served().Find(name)
	if !known {
		out.Kind = api.ModelDifference_KIND_UNKNOWN
		return out
	}
	gpus, _ := s.Workspace.ServersGPUs()
	out.Fields = fieldDifferences(here, served.Decoded().Config, gpus)
	out.Kind = api.ModelDifference_KIND_SAME
	if len(out.Fields) > 0 || !slices.Equal(out.VersionsHere, out.VersionsThere) {
		out.Kind = api.ModelDifference_KIND_CHANGED
	}
	return out
}

// fieldDifferences compares a config with the one that a server with these GPUs serves. A server that runs no group of the model on them may have
// no backend that can, so it settles groups as one without GPUs does.
func fieldDifferences(here *language.Model, there *modelconfig.ModelConfig, gpus []int32) (out []*api.FieldDifference) {
	settled := here.Settled()
	onGPU := func(g *modelconfig.ModelInstanceGroup) bool { return g.Kind == modelconfig.ModelInstanceGroup_KIND_GPU }
	if len(gpus) > 0 && slices.ContainsFunc(there.GetInstanceGroup(), onGPU) {
		settled = here.SettledOn(language.GPUs{Numbers: gpus})
	}
	reasons := map[string]string{}
	for _, f := range settled.Filled {
		reasons[language.PathText(f.Path)] = f.Reason
	}
	for _, f := range difference.Configs(settled.Config, there, reasons) {
		out = append(out, &api.FieldDifference{Path: f.Path, Here: f.Here, There: f.There, Reason: f.Reason})
	}
	return out
}
