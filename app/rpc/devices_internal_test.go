package rpc

import (
	"fmt"
	"testing"

	"conch/configedit/modelconfig"
)

// A server elsewhere runs each group on the GPUs that it asks for, and refuses those that it lacks.
func TestPlaceOnAServer(t *testing.T) {
	const cpu, gpu, own = modelconfig.ModelInstanceGroup_KIND_CPU, modelconfig.ModelInstanceGroup_KIND_GPU, modelconfig.ModelInstanceGroup_KIND_MODEL
	group := func(kind modelconfig.ModelInstanceGroup_Kind, gpus ...int32) *modelconfig.ModelInstanceGroup {
		return &modelconfig.ModelInstanceGroup{Kind: kind, Gpus: gpus}
	}
	for _, c := range []struct {
		groups []*modelconfig.ModelInstanceGroup
		want   string
	}{
		{nil, "[] "},
		{[]*modelconfig.ModelInstanceGroup{group(gpu, 1, 0), group(gpu, 1)}, "[GPU 1 GPU 0] "},
		{[]*modelconfig.ModelInstanceGroup{group(gpu, 0), group(cpu)}, "[GPU 0 CPU] "},
		{[]*modelconfig.ModelInstanceGroup{group(own)}, "[GPU 0 GPU 1 CPU] "},
		{[]*modelconfig.ModelInstanceGroup{group(cpu), group(gpu, 3)}, "[] the server has no GPU 3"},
		{[]*modelconfig.ModelInstanceGroup{group(gpu)}, "[] the server has no GPU"},
	} {
		got := placeOn(&modelconfig.ModelConfig{InstanceGroup: c.groups}, []int32{0, 1})
		if text := fmt.Sprint(got.Devices, " ", got.Refused); text != c.want {
			t.Errorf("%v: %s, want %s", c.groups, text, c.want)
		}
	}
	for _, g := range []*modelconfig.ModelInstanceGroup{group(gpu), group(gpu, 0)} {
		if got := placeOn(&modelconfig.ModelConfig{InstanceGroup: []*modelconfig.ModelInstanceGroup{g}}, nil); got.Refused != "" || len(got.Devices) > 0 {
			t.Errorf("of a server that tells of no GPU: %v", got)
		}
	}
}
