package python

import (
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
)

// initialize hears of the device on which its instance runs, also when the config asks for another.
func TestArgsOfADevice(t *testing.T) {
	spec := backend.Spec{Name: "m", Version: 1, Config: &modelconfig.ModelConfig{Name: "m", InstanceGroup: []*modelconfig.ModelInstanceGroup{
		{Name: "m_0", Kind: modelconfig.ModelInstanceGroup_KIND_GPU, Gpus: []int32{0, 3}, Count: 1},
	}}}
	for _, c := range []struct {
		at           backend.InstanceSpec
		kind, device string
	}{
		{backend.InstanceSpec{Name: "m_0_0", Kind: modelconfig.ModelInstanceGroup_KIND_GPU, Device: 3}, "GPU", "3"},
		{backend.InstanceSpec{Name: "m_0_0", Kind: modelconfig.ModelInstanceGroup_KIND_CPU}, "CPU", "0"},
		{backend.InstanceSpec{Name: "m_0_0", Kind: modelconfig.ModelInstanceGroup_KIND_MODEL}, "MODEL", "0"},
	} {
		args, err := argsOf(spec, c.at)
		if err != nil || args["model_instance_kind"] != c.kind || args["model_instance_device_id"] != c.device || args["model_instance_name"] != "m_0_0" {
			t.Errorf("%v: %v, %v", c.at, args, err)
		}
	}
}
