package language

import (
	"fmt"

	"conch/configedit/backends"
	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfolder"
	"conch/configedit/text"
)

// Draft returns a first config: what Triton would complete from the model file alone, without its
// defaults.
func (m *Model) Draft() ([]byte, error) {
	r := m.typed(nil).understand()
	facts, broken := r.files.Facts, r.files.Broken
	if file := check.Misplaced(m.subject()); file != "" {
		facts, broken = modelfolder.ReadOutside(m.files(), file)
	}
	if broken != nil {
		return nil, fmt.Errorf("the model file cannot be read: %w", broken)
	}
	if name := m.Effective().GetBackend(); name == backends.OpenVINO && facts.OpenVINO == nil {
		return append([]byte("# "+leftOut(backends.Named(name))+"\n"), Begin(m.Scan.Name, name)...), nil
	}
	return draft(facts, m.Scan.Name)
}

// leftOut says why a first config has neither inputs nor outputs.
func leftOut(b backends.Backend) string {
	return b.Runtime + " reads the inputs and outputs from the file when the model is loaded: the config leaves them out."
}

// remarks lists at the top of a draft which parts are guesses, each reason once.
func remarks(filled []derive.Filled) []byte {
	var out []byte
	told := map[string]bool{}
	for _, f := range filled {
		if !told[f.Reason] {
			told[f.Reason] = true
			out = fmt.Appendf(out, "# %s: %s\n", f.Path[len(f.Path)-1], f.Reason)
		}
	}
	return out
}

// fromJSON is the fix for a config that is written as JSON, as Triton serves it. Other texts get no
// fix.
func fromJSON(src []byte, list []diag.Diagnostic) []diag.Diagnostic {
	for i := range list {
		if list[i].Code != text.CodeJSON || len(list[i].Fixes) > 0 {
			continue
		}
		if cfg, err := modelconfig.UnmarshalJSON(src); err == nil {
			list[i].Fixes = []diag.Fix{{Title: "write it as a config", Edits: []diag.Edit{{
				Span: diag.Span{End: len(src)}, New: string(modelconfig.PrintText(cfg)),
			}}}}
		}
	}
	return list
}
