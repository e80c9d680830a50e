package language

import (
	"maps"
	"slices"

	"conch/configedit/modelconfig"
	"conch/repo/scan"
)

// Served returns an analysis of the configs that a server serves. Its models have no folders, so nothing
// is read from a disk. It takes over what has not changed since prev, which may be nil.
func Served(configs map[string]*modelconfig.ModelConfig, prev *Analysis) *Analysis {
	index := &scan.Index{}
	for _, name := range slices.Sorted(maps.Keys(configs)) {
		text := modelconfig.PrintText(configs[name])
		index.Models = append(index.Models, &scan.Model{Name: name, ConfigText: text, Fingerprint: string(text)})
	}
	return New(index, prev, Around{})
}

// Find is Model, also for no analysis.
func (a *Analysis) Find(name string) (*Model, bool) {
	if a == nil {
		return nil, false
	}
	return a.Model(name)
}
