package language

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfolder"
	"conch/configedit/release"
	"conch/repo/scan"
)

// ConfigName is what a diagnostic's file is called where the model has no config yet.
const ConfigName = "config.pbtxt"

// Model is one model with its config text understood, on disk or being typed.
type Model struct {
	// Scan is the folder; for an unsaved text its ConfigText is not what counts.
	Scan *scan.Model

	text []byte
	once sync.Once
	told reading
	// asSubject is the model in the form that the checks take, once it was asked for.
	asked     sync.Once
	asSubject *check.Model
	// saved is the model as it lies on disk, for an unsaved text: its files need not be read again.
	saved *Model
	// strict is a server's --disable-auto-complete-config.
	strict bool
	// elsewhere: it is judged for another server than the workbench's own.
	elsewhere bool
	// release is the release of Triton that is to serve it; nil where none is chosen.
	release *release.Release
}

// reading is what Model finds out once.
type reading struct {
	decoded   *modelconfig.Decoded
	syntax    []diag.Diagnostic
	files     modelfolder.Reading
	effective *modelconfig.ModelConfig
	filled    []derive.Filled
	problem   error
}

func newModel(folder *scan.Model, text []byte) *Model { return &Model{Scan: folder, text: text} }

// Saved is the model as it lies on disk.
func (m *Model) Saved() *Model {
	if m.saved != nil {
		return m.saved
	}
	return m
}

// Text is the config's text; not to be changed.
func (m *Model) Text() []byte { return m.text }

// Decoded is the config as written; its Config is empty, never nil, when there is none.
func (m *Model) Decoded() *modelconfig.Decoded { return m.understand().decoded }

// Effective is the config with everything filled in, as far as that is possible.
func (m *Model) Effective() *modelconfig.ModelConfig { return m.understand().effective }

// Filled tells what was filled in and why.
func (m *Model) Filled() []derive.Filled { return m.understand().filled }

// HasConfig says whether there is a text at all.
func (m *Model) HasConfig() bool { return len(m.text) > 0 || m.Scan.ConfigPath != "" }

// ConfigFile is the config's path relative to the model's folder, "" when there is none.
func (m *Model) ConfigFile() string {
	if m.Scan.ConfigPath == "" {
		return ""
	}
	rel, err := filepath.Rel(m.Scan.Dir, m.Scan.ConfigPath)
	if err != nil {
		return filepath.Base(m.Scan.ConfigPath)
	}
	return filepath.ToSlash(rel)
}

// Uses lists the models that an ensemble is made of, in the order of its steps.
func (m *Model) Uses() []string {
	var names []string
	for _, step := range m.Effective().GetEnsembleScheduling().GetStep() {
		names = append(names, step.ModelName)
	}
	return names
}

func (m *Model) understand() *reading {
	m.once.Do(func() {
		r := &m.told
		r.decoded, r.syntax = modelconfig.Parse(ConfigName, m.text)
		r.files = m.read(r.decoded.Config)
		r.effective, r.filled, r.problem = derive.Effective(r.decoded.Config, r.files.Facts)
	})
	return &m.told
}

// PathText writes a path into a config as people do: input[0].dims.
func PathText(path []any) string {
	var b strings.Builder
	for _, step := range path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			fmt.Fprint(&b, step)
		}
	}
	return b.String()
}
