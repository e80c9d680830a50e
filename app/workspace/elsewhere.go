package workspace

import (
	"fmt"
	"strings"

	"conch/app/api"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
)

// elsewhere are the models that run on other devices than the GPUs that they ask for.
type elsewhere struct {
	told map[string]bool                // people have been told, or will be
	text map[string]*enginepb.Elsewhere // what people will be told of each
}

// noteElsewhere makes a notice of models that have begun to run elsewhere: one for all of them, after the start, and none again
// for a model that is loaded again.
func (s *openRepository) noteElsewhere(models []*enginepb.Model, c *change) {
	e := &s.elsewhere
	for _, m := range models {
		switch {
		case len(m.Elsewhere) > 0 && !e.told[m.Name]:
			if e.text == nil {
				e.text = map[string]*enginepb.Elsewhere{}
			}
			e.told[m.Name], e.text[m.Name] = true, m.Elsewhere[0]
		case len(m.Elsewhere) == 0 && len(m.Devices) > 0:
			delete(e.told, m.Name)
			delete(e.text, m.Name)
		}
	}
	if !s.restoring {
		s.tellElsewhere(c)
	}
}

// tellElsewhere tells of the models for the same reason at once.
func (s *openRepository) tellElsewhere(c *change) {
	alike := map[string][]string{} // by what is told of several
	for _, name := range sortedKeys(s.elsewhere.text) {
		told := ofSeveral(s.elsewhere.text[name])
		alike[told] = append(alike[told], name)
	}
	for _, told := range sortedKeys(alike) {
		names := alike[told]
		if len(names) == 1 {
			c.notices = append(c.notices, s.notice(api.Notice_LEVEL_INFO, names[0], names[0]+": "+s.elsewhere.text[names[0]].Text))
			continue
		}
		c.notices = append(c.notices, s.notice(api.Notice_LEVEL_INFO, "", fmt.Sprintf(told, len(names), strings.Join(names, ", "))))
	}
	s.elsewhere.text = nil
}

// ofSeveral is what is told of several models for one reason, with places for how many there are and for their names.
func ofSeveral(e *enginepb.Elsewhere) string {
	why := func(text string) string { return strings.ReplaceAll(text, "%", "%%") }
	if e.Group == nil {
		return "%d models have accelerators for GPUs and no instance on one: %s. " + why(e.Unused)
	}
	const several = "%d models ask for GPUs and run on other devices: %s. "
	if e.Unused != "" {
		return several + why(e.Unused)
	}
	return several + "Triton would refuse them on this machine, because " + why(e.Why)
}

// Elsewhere returns why groups of KIND_GPU in a model's effective config do not run on the GPUs that they ask for, as reasons
// of that config.
func (w *Workspace) Elsewhere(model string, effective *modelconfig.ModelConfig) []derive.Filled {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		return nil
	}
	var reasons []derive.Filled
	for _, e := range w.open.running.models[model].GetElsewhere() {
		groups, i := effective.GetInstanceGroup(), int(e.GetGroup())
		if e.Group != nil && i < len(groups) && (groups[i].Kind == modelconfig.ModelInstanceGroup_KIND_GPU || len(groups[i].Gpus) > 0) {
			reasons = append(reasons, derive.Filled{Path: []any{"instance_group", i, "kind"}, Reason: e.Text})
		}
	}
	return reasons
}
