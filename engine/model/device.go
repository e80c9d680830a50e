package model

import (
	"fmt"
	"slices"
	"strings"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/infer"
)

// devicesOf returns the devices of a group. The group's count is the number of instances on each of them.
func devicesOf(g *modelconfig.ModelInstanceGroup, be backend.Backend) []backend.Device {
	if g.Kind != modelconfig.ModelInstanceGroup_KIND_GPU {
		return []backend.Device{{}}
	}
	var list []backend.Device
	for _, id := range g.Gpus {
		list = append(list, backend.Device{GPU: true, ID: int(id)})
	}
	if len(list) == 0 {
		for _, m := range gpusOf(be) {
			list = append(list, m.Device)
		}
	}
	return list
}

// gpusOf returns the GPUs that a backend can use.
func gpusOf(be backend.Backend) []backend.Memory {
	if l, ok := be.(backend.DeviceLister); ok {
		return l.Devices()
	}
	return nil
}

// gpusFor returns the numbers of the GPUs that a backend can use.
func (l *Loader) gpusFor(backendName string) []int32 {
	var list []int32
	for _, m := range gpusOf(l.Backends[backendName]) {
		list = append(list, int32(m.Device.ID))
	}
	return list
}

// checkDevices refuses an instance group on a GPU that the backend cannot use.
func checkDevices(cfg *modelconfig.ModelConfig, be backend.Backend) error {
	for _, g := range cfg.InstanceGroup {
		if g.Kind != modelconfig.ModelInstanceGroup_KIND_GPU {
			continue // nobody looks for GPUs before a model needs one
		}
		known := gpusOf(be)
		if len(known) == 0 {
			return infer.Errorf(infer.InvalidArg, "instance group %s of model %s has kind KIND_GPU but server does not support GPUs", g.Name, cfg.Name)
		}
		for _, d := range devicesOf(g, be) {
			if !slices.ContainsFunc(known, func(m backend.Memory) bool { return m.Device == d }) {
				return infer.Errorf(infer.InvalidArg, "instance group %s of model %s specifies invalid or unsupported gpu id %d. Backend %s can use: %s",
					g.Name, cfg.Name, d.ID, cfg.Backend, deviceNames(known))
			}
		}
	}
	return nil
}

func deviceNames(list []backend.Memory) string {
	var names []string
	for _, m := range list {
		names = append(names, m.Device.String())
	}
	return strings.Join(names, ", ")
}

// instanceName returns the name of the instance at a place.
func instanceName(p place) string {
	if p.at.GPU {
		return fmt.Sprintf("%s_%d_gpu%d", p.group.Name, p.i, p.at.ID)
	}
	return fmt.Sprintf("%s_%d", p.group.Name, p.i)
}
