package rpc

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/language"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
)

// FindDevices returns the devices on which a model would run if it were loaded now. The engine of this machine is asked. Of a server elsewhere
// nobody knows more than its GPUs, so its backends are taken to use them all.
func (s *modelService) FindDevices(ctx context.Context, r *connect.Request[api.FindDevicesRequest]) (*connect.Response[api.FindDevicesResponse], error) {
	_, m, err := s.model(r.Msg.Name)
	if err != nil {
		return nil, err
	}
	if gpus, remote := s.Workspace.ServersGPUs(); remote {
		return connect.NewResponse(placeOn(m.SettledOn(language.GPUs{Numbers: gpus}).Config, gpus)), nil
	}
	client, err := s.Workspace.Private("where the model would run")
	if err != nil {
		return nil, err
	}
	answer, err := client.Place(ctx, &enginepb.PlaceRequest{Model: r.Msg.Name})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.FindDevicesResponse{Devices: answer.Devices, Refused: answer.Refused, WithoutStrict: answer.WithoutStrict}), nil
}

// placeOn is where Triton runs the groups of an effective config on a machine with these GPUs. A server that tells of none may have some: its metrics
// may be out of reach, or leave them out. Then it is not known where a group for GPUs runs.
func placeOn(cfg *modelconfig.ModelConfig, gpus []int32) *api.FindDevicesResponse {
	out := &api.FindDevicesResponse{}
	add := func(name string) {
		if !slices.Contains(out.Devices, name) {
			out.Devices = append(out.Devices, name)
		}
	}
	var missing []string
	for _, g := range cfg.GetInstanceGroup() {
		on := g.Gpus
		if g.Kind == modelconfig.ModelInstanceGroup_KIND_MODEL { // the model chooses itself
			on = gpus
		}
		for _, gpu := range on {
			if add(gpuName(gpu)); !slices.Contains(gpus, gpu) {
				missing = append(missing, gpuName(gpu))
			}
		}
		if g.Kind != modelconfig.ModelInstanceGroup_KIND_GPU {
			add("CPU")
		} else if len(on) == 0 {
			missing = append(missing, "GPU")
		}
	}
	switch {
	case len(missing) > 0 && len(gpus) == 0:
		return &api.FindDevicesResponse{}
	case len(missing) > 0:
		return &api.FindDevicesResponse{Refused: "the server has no " + strings.Join(missing, ", ")}
	}
	return out
}

func gpuName(index int32) string { return fmt.Sprintf("GPU %d", index) }
