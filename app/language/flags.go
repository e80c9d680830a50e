package language

import (
	"maps"
	"slices"

	"conch/configedit/release"
	"conch/repo/scan"
)

// Flags are what a server can be told about how it reads configs (docs/triton/completion.md,
// "Switches").
type Flags struct {
	// Strict keeps backends from completing configs: --disable-auto-complete-config.
	Strict bool
	// Variant is a name in a model's configs folder that is read in place of config.pbtxt: --model-config-name.
	Variant string
	// Release is the release of Triton that is to serve the models; nil where what it lacks is not judged.
	Release *release.Release
}

// As makes an analysis of a scan as a server with these flags reads it.
func As(index *scan.Index, flags Flags) *Analysis {
	a := &Analysis{Index: index, models: make(map[string]*Model, len(index.Models))}
	for _, m := range index.Models {
		if a.models[m.Name] != nil {
			continue
		}
		_, text := flags.Config(m)
		model := newModel(m, text)
		model.strict, model.release, model.elsewhere = flags.Strict, flags.Release, true
		a.models[m.Name] = model
	}
	a.names = slices.Sorted(maps.Keys(a.models))
	return a
}

// Config is the config that is read for a model: its path, "" where there is none, and text.
func (f Flags) Config(m *scan.Model) (path string, text []byte) {
	for _, v := range m.Variants {
		if f.Variant != "" && v.Name == f.Variant && v.Err == nil {
			return v.Path, v.Text
		}
	}
	return m.ConfigPath, m.ConfigText
}
