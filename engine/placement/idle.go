package placement

import (
	"fmt"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/check"
	"conch/configedit/modelconfig"
	"conch/engine/backend"
)

// idle returns the note about the accelerators for GPUs of a model that has no instance on a GPU; nil where there is nothing to say. Where a group that
// asks for a GPU has a note, only mistakes in the accelerators are worth another.
func idle(cfg *modelconfig.ModelConfig, plan Plan) *Note {
	asked := cfg.GetOptimization().GetExecutionAccelerators().GetGpuExecutionAccelerator()
	devices := plan.Devices()
	onGPU := slices.ContainsFunc(devices, func(d backend.Device) bool { return d.GPU })
	if len(asked) == 0 || onGPU || backends.Named(cfg.Backend).GPUAccelerators == nil {
		return nil
	}
	note := &Note{Runs: devices, Idle: true}
	switch mistakes := check.IdleAccelerators(cfg); {
	case len(mistakes) > 0:
		note.Unused = fmt.Sprintf("gpu_execution_accelerator is not used here, and Triton would refuse the model on a GPU. %s: %s", mistakes[0].Code, mistakes[0].Message)
		if len(mistakes) > 1 {
			note.Unused += fmt.Sprintf(" (and %d more, which `conch check` lists)", len(mistakes)-1)
		}
	case len(plan.Notes) > 0:
		return nil
	default:
		names := make([]string, len(asked))
		for i, a := range asked {
			names[i] = fmt.Sprintf("%q", a.GetName())
		}
		note.Unused = fmt.Sprintf("gpu_execution_accelerator %s is not used here, because no instance of the model runs on a GPU; on a GPU, Triton would use it",
			strings.Join(names, ", "))
	}
	return note
}
