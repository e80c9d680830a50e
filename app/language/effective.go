package language

import (
	"slices"

	"conch/configedit/derive"
	"conch/configedit/modelconfig"
)

// GPUs are those with which an engine settles a config.
type GPUs struct {
	Numbers []int32
	Why     string // a clause: there are none; "" where that is not known
	// Here are the GPUs of the machine, also those that the model's backend cannot use.
	Here []int32
	// Lenient means that the engine runs models whose GPUs are missing: KIND_AUTO with a list is the GPU then.
	Lenient bool
	// Adapter is by what the engine runs instances that are on none of these, such as "WebGPU"; "" for the processor.
	Adapter string
}

// Settled is an effective config, and what was filled in.
type Settled struct {
	Config *modelconfig.ModelConfig
	Filled []derive.Filled
}

// Settled returns the effective config without knowledge of the machine that will serve the model.
func (m *Model) Settled() Settled { return Settled{m.Effective(), m.Filled()} }

// SettledOn returns the effective config where the model's backend uses these GPUs.
func (m *Model) SettledOn(gpus GPUs) Settled {
	facts := m.understand().facts
	facts.GPUs, facts.Counted, facts.NoGPUs, facts.Here, facts.Elsewhere = gpus.Numbers, true, gpus.Why, gpus.Here, gpus.Lenient
	facts.Adapter = gpus.Adapter
	cfg, filled, _ := derive.Effective(m.Decoded().Config, facts)
	return Settled{cfg, filled}
}

// FilledLine is a value that was filled in, and its line in the text, from 1.
type FilledLine struct {
	derive.Filled
	Line int
}

// Text returns the config as text, and what was filled in, with more reasons that the caller knows.
func (s Settled) Text(more ...derive.Filled) (string, []FilledLine) {
	text := modelconfig.PrintText(s.Config)
	printed, _ := modelconfig.Parse(ConfigName, text)
	var filled []FilledLine
	for _, f := range slices.Concat(s.Filled, more) {
		line, _ := printed.File.Position(printed.FieldSpan(f.Path...).Start)
		filled = append(filled, FilledLine{Filled: f, Line: line})
	}
	return string(text), filled
}
