package check

import (
	"strings"

	"conch/configedit/diag"
	"conch/configedit/folder"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// checkClashes: Triton loads no model whose name another repository has too (triton-config D.7).
func (c *checker) checkClashes() {
	env, ok := c.env.(Clashes)
	if !ok || c.m.Folder == nil {
		return
	}
	others := env.Clashes(c.m.Name)
	if len(others) == 0 {
		return
	}
	c.add(rule.Fill, diag.Diagnostic{
		Code: "DUPLICATE", Span: c.top(),
		Message: say("another repository has a model of this name, %s; Triton loads neither", strings.Join(others, " and ")),
		Triton:  triton("failed to poll model '%s': not unique across all model repositories", c.m.Name),
	})
}

// checkName holds the name against the folder: L5.
func (c *checker) checkName() {
	name := c.cfg.GetName()
	if name == c.m.Name || folder.Name(name) == c.m.Name || c.m.Name == "" || name == "" {
		return
	}
	c.add(rule.Name, diag.Diagnostic{
		Code: "L5", Span: c.span("name"),
		Message: say("the folder is called %q and the model %q; Triton wants one name", c.m.Name, name),
		Triton:  triton("unexpected directory name '%s' for model '%s', directory name must equal model name", c.m.Name, name),
		Fixes:   replace("replace "+name+" by "+c.m.Name, c.span("name"), text.Quote(c.m.Name)),
	})
}
