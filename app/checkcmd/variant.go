package checkcmd

import (
	"conch/configedit/diag"
	"conch/configedit/rule"
	"conch/repo/scan"
)

// variants judges the configs in a model's configs folder. A server reads one of them only when it is
// told its name, so their mistakes are warnings. The one that is read is judged as the config itself.
func (j *judge) variants(m *scan.Model) {
	known, ok := j.analysis.Model(m.Name)
	if !ok || known.Scan != m {
		return
	}
	for _, v := range m.Variants {
		if v.Name == j.flags.Variant || v.Err != nil {
			continue
		}
		analysis, model := j.analysis.With(m.Name, v.Text)
		var list []diag.Diagnostic
		for _, d := range analysis.Diagnose(model) {
			if !d.Severity.IsError() || d.Code == rule.L1.ID {
				continue // what concerns the folder is reported at the config itself
			}
			d.Severity, d.First = diag.Warning, false
			d.Message += "; this file is read with --model-config-name=" + v.Name
			list = append(list, d)
		}
		j.add(Report{Path: j.shown(v.Path), File: model.Decoded().File, List: list})
	}
}
