package rpc

import (
	"slices"
	"testing"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
)

// What a config leaves open runs on what the engine takes for the backend.
func TestAsksFor(t *testing.T) {
	for _, c := range []struct {
		backend, groups string
		want            []string
	}{
		{backends.TensorRT, "", []string{"GPU"}},
		{backends.ONNXRuntime, "", []string{"GPU"}},
		{backends.PyTorch, "", []string{"CPU"}},
		{backends.PyTorch, "instance_group [ { kind: KIND_GPU } ]", []string{"GPU"}},
		{backends.ONNXRuntime, "instance_group [ { gpus: [ 3, 1 ] }, { kind: KIND_CPU } ]", []string{"GPU 3", "GPU 1", "CPU"}},
		{backends.ONNXRuntime, "instance_group [ { count: 2 } ]", []string{"GPU"}},
		{backends.Python, "instance_group [ { kind: KIND_MODEL } ]", nil},
	} {
		given, problems := modelconfig.Parse("config.pbtxt", []byte(c.groups))
		if got := asksFor(given.Config, backends.Named(c.backend)); len(problems) > 0 || !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.backend, c.groups, got, c.want)
		}
	}
}
