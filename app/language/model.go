package language

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfolder"
	"conch/configedit/release"
	"conch/repo/scan"
)

// ConfigName is what a diagnostic's file is called where the model has no config yet.
const ConfigName = folder.ConfigName

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
	// around is what lies beside the config; saved has it for an unsaved text.
	around *beside
	// before is the model as it was read last, where its folder is away now; nil where it was not read.
	before *Model
	// strict is a server's --disable-auto-complete-config.
	strict bool
	// elsewhere: it is judged for another server than the workbench's own.
	elsewhere bool
	// release is the release of Triton that is to serve it; nil where none is chosen.
	release *release.Release
}

// reading is what Model finds out once.
type reading struct {
	decoded *modelconfig.Decoded
	syntax  []diag.Diagnostic
	files   modelfolder.Reading
	// whole tells that the folder was there from the beginning to the end of the reading, or is known from such a reading.
	whole     bool
	effective *modelconfig.ModelConfig
	filled    []derive.Filled
	problem   error
}

func newModel(folder *scan.Model, text []byte) *Model {
	return &Model{Scan: folder, text: text, around: newBeside(folder)}
}

// typed is the model with another text in place of the one on disk.
func (m *Model) typed(text []byte) *Model {
	return &Model{Scan: m.Scan, text: text, saved: m.Saved(), elsewhere: m.elsewhere, release: m.release}
}

// whileAway is the model on disk while its folder cannot be read.
func (m *Model) whileAway() *Model {
	return &Model{Scan: m.Scan, text: m.text, around: m.around.whileAway(), before: m}
}

// isAway says whether the model's folder cannot be read now.
func (m *Model) isAway() bool { return m.Saved().around.away }

// folder is what lies beside the config, for the checks; nil where nothing is known of it.
func (m *Model) folder() *check.Folder {
	switch {
	case m.saved != nil:
		return m.saved.subject().Folder
	case m.around.away && !m.understand().whole:
		return nil
	}
	return m.around.folder()
}

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

// FilledLine is something that was filled in, and its line in the text of EffectiveText, from 1.
type FilledLine struct {
	derive.Filled
	Line int
}

// EffectiveText is the effective config as text, and what was filled in.
func (m *Model) EffectiveText() (string, []FilledLine) {
	text := modelconfig.PrintText(m.Effective())
	printed, _ := modelconfig.Parse(ConfigName, text)
	var filled []FilledLine
	for _, f := range m.Filled() {
		line, _ := printed.File.Position(printed.FieldSpan(f.Path...).Start)
		filled = append(filled, FilledLine{Filled: f, Line: line})
	}
	return string(text), filled
}

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
		r.files, r.whole = m.read(r.decoded.Config)
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
