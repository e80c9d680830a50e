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
	"conch/engine/completed"
	"conch/repo/scan"
)

// ConfigName is the name of a diagnostic's file where the model has no config yet.
const ConfigName = folder.ConfigName

// Model is one model with its config parsed, on disk or as it is being typed.
type Model struct {
	// Scan is the folder. For an unsaved text its ConfigText does not count.
	Scan *scan.Model

	text []byte
	once sync.Once
	told reading
	// asSubject is the model in the form that the checks take. It is made on the first use.
	asked     sync.Once
	asSubject *check.Model
	// saved is the model on disk, for an unsaved text: its files need not be read again.
	saved *Model
	// around is the folder beside the config. For an unsaved text, saved has it.
	around *beside
	// before is the model as it was read last, where its folder is away now; nil where it was not
	// read.
	before *Model
	// strict means a server with --disable-auto-complete-config.
	strict bool
	// elsewhere means that the model is judged for another server than the workbench's own.
	elsewhere bool
	// release is the release of Triton that will serve the model; nil where none is chosen.
	release *release.Release
	// gpus is how many GPUs that server has; nil where it has those that configs ask for.
	gpus *int
	// answers has what Python programs answered in runs.
	answers *completed.Store
}

// reading is what a Model finds out once.
type reading struct {
	decoded *modelconfig.Decoded
	syntax  []diag.Diagnostic
	files   modelfolder.Reading
	// whole means that the folder was there during the whole reading, or that such a reading is
	// reused.
	whole     bool
	effective *modelconfig.ModelConfig
	filled    []derive.Filled
	problem   error
	// facts are those of files, with the answer of the program where it is known.
	facts derive.Facts
	// asked is the key of that answer; "" for a model without one. answer is nil where it is not known.
	asked  string
	answer *completed.Answer
}

func newModel(folder *scan.Model, text []byte, answers *completed.Store) *Model {
	return &Model{Scan: folder, text: text, around: newBeside(folder), answers: answers}
}

// typed returns the model with another text in place of the one on disk.
func (m *Model) typed(text []byte) *Model {
	return &Model{Scan: m.Scan, text: text, saved: m.Saved(), strict: m.strict, elsewhere: m.elsewhere, release: m.release, gpus: m.gpus, answers: m.answers}
}

// whileAway returns the model on disk as one whose folder cannot be read.
func (m *Model) whileAway() *Model {
	return &Model{Scan: m.Scan, text: m.text, around: m.around.whileAway(), before: m, answers: m.answers}
}

// isAway reports whether the model's folder cannot be read now.
func (m *Model) isAway() bool { return m.Saved().around.away }

// folder returns what is beside the config, for the checks; nil where nothing is known. whole is that of the reading.
func (m *Model) folder(whole bool) *check.Folder {
	switch {
	case m.saved != nil:
		return m.saved.subject().Folder
	case m.around.away && !whole:
		return nil
	}
	return m.around.folder()
}

// Saved returns the model as it is on disk.
func (m *Model) Saved() *Model {
	if m.saved != nil {
		return m.saved
	}
	return m
}

// Text returns the config's text. Callers must not change it.
func (m *Model) Text() []byte { return m.text }

// Decoded returns the config as written. Its Config is empty, never nil, when there is none.
func (m *Model) Decoded() *modelconfig.Decoded { return m.understand().decoded }

// Effective returns the config with everything filled in, as far as possible.
func (m *Model) Effective() *modelconfig.ModelConfig { return m.understand().effective }

// Filled lists what was filled in and why.
func (m *Model) Filled() []derive.Filled { return m.understand().filled }

// HasConfig reports whether there is a text.
func (m *Model) HasConfig() bool { return len(m.text) > 0 || m.Scan.ConfigPath != "" }

// ConfigFile returns the config's path relative to the model's folder; "" when there is none.
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

// Uses lists the models of an ensemble's steps, each once, in the order of the steps.
func (m *Model) Uses() []string {
	var names []string
	seen := map[string]bool{}
	for _, step := range m.Effective().GetEnsembleScheduling().GetStep() {
		if !seen[step.ModelName] {
			seen[step.ModelName] = true
			names = append(names, step.ModelName)
		}
	}
	return names
}

func (m *Model) understand() *reading {
	m.once.Do(func() {
		r := &m.told
		r.decoded, r.syntax = modelconfig.Parse(ConfigName, m.text)
		r.files, r.whole = m.read(r.decoded.Config)
		r.facts = r.files.Facts
		r.effective, r.filled, r.problem = derive.Effective(r.decoded.Config, r.facts)
		if m.recall(r); r.answer != nil {
			r.effective, r.filled, r.problem = derive.Effective(r.decoded.Config, r.facts)
		}
	})
	return &m.told
}

// PathText writes a path in a config as people do: input[0].dims.
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
