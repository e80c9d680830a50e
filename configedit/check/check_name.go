package check

import (
	"conch/configedit/diag"
	"conch/configedit/text"
)

// checkName holds the name against the folder: L5.
func (c *checker) checkName() {
	name := c.cfg.GetName()
	if name == c.m.Name || c.m.Name == "" || name == "" {
		return
	}
	c.add(stageName, diag.Diagnostic{
		Code: "L5", Span: c.span("name"),
		Message: say("the folder is called %q and the model %q; Triton wants one name", c.m.Name, name),
		Triton:  triton("unexpected directory name '%s' for model '%s', directory name must equal model name", c.m.Name, name),
		Fixes:   replace("replace "+name+" by "+c.m.Name, c.span("name"), text.Quote(c.m.Name)),
	})
}
