package rpc

import (
	"testing"

	"conch/app/language"
	"conch/configedit/modelconfig"
	"conch/repo/scan"
)

// TestGroupsOnAServersGPUs: a server with GPUs settles the groups of a model, and a file that says nothing of them is no change for it.
func TestGroupsOnAServersGPUs(t *testing.T) {
	_, m := language.New(scan.New("../../examples/repository").Scan(nil), nil, language.Around{}).With("digits", []byte("backend: \"onnxruntime\"\n"))
	onGPUs := m.SettledOn(language.GPUs{Numbers: []int32{0, 1}}).Config
	for name, c := range map[string]struct {
		there  *modelconfig.ModelConfig
		gpus   []int32
		differ bool
	}{
		"on its GPUs":                    {onGPUs, []int32{0, 1}, false},
		"on its CPU, beside GPUs":        {m.Effective(), []int32{0, 1}, false},
		"on the CPU of one without GPUs": {m.Effective(), nil, false},
		"on one of its GPUs":             {m.SettledOn(language.GPUs{Numbers: []int32{0}}).Config, []int32{0, 1}, true},
	} {
		if got := fieldDifferences(m, c.there, c.gpus); (len(got) > 0) != c.differ {
			t.Errorf("%s: %v", name, got)
		}
	}
}
