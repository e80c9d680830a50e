package language

import (
	"maps"
	"slices"

	"conch/configedit/release"
	"conch/engine/completed"
	"conch/repo/scan"
)

// Flags are the flags of a server that change how it reads configs (docs/triton/completion.md,
// "Switches").
type Flags struct {
	// Strict means that backends do not complete configs: --disable-auto-complete-config.
	Strict bool
	// Variant is the name of a config in a model's configs folder that replaces config.pbtxt:
	// --model-config-name.
	Variant string
	// Release is the release of Triton that will serve the models. Nil means that missing features are
	// not reported.
	Release *release.Release
	// GPUs is how many the machine has that will serve the models. Nil means that it has those that configs ask for.
	GPUs *int
	// Answers has what Python programs answered in runs on this machine; nil for nothing.
	Answers *completed.Store
}

// As returns an analysis of a scan as a server with these flags reads it.
func As(index *scan.Index, flags Flags) *Analysis {
	a := &Analysis{Index: index, models: make(map[string]*Model, len(index.Models))}
	for _, m := range index.Models {
		if a.models[m.Name] != nil {
			continue
		}
		_, text := flags.Config(m)
		model := newModel(m, text, flags.Answers)
		model.strict, model.release, model.gpus, model.elsewhere = flags.Strict, flags.Release, flags.GPUs, true
		a.models[m.Name] = model
	}
	a.names = slices.Sorted(maps.Keys(a.models))
	return a
}

// Config returns the config of a model: its path, "" where there is none, and its text.
func (f Flags) Config(m *scan.Model) (path string, text []byte) {
	for _, v := range m.Variants {
		if f.Variant != "" && v.Name == f.Variant && v.Err == nil {
			return v.Path, v.Text
		}
	}
	return m.ConfigPath, m.ConfigText
}
