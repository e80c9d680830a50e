package check

import (
	"strings"

	"conch/configedit/folder"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// checkClashes: Triton loads no model whose name another repository has too
// (docs/triton/repository.md, "Several repositories").
func checkClashes(c *checker) {
	env, ok := c.env.(Clashes)
	if !ok || c.m.Folder == nil {
		return
	}
	others := env.Clashes(c.m.Name)
	if len(others) == 0 {
		return
	}
	c.report(finding{
		rule: rule.DUPLICATE, span: c.top(), args: values(c.m.Name),
		message: say("another repository has a model of this name, %s; Triton loads neither", strings.Join(others, " and ")),
	})
}

// checkName compares the name with the folder: L5.
func checkName(c *checker) {
	name := c.cfg.GetName()
	if name == c.m.Name || folder.Name(name) == c.m.Name || c.m.Name == "" || name == "" {
		return
	}
	c.report(finding{
		rule: rule.L5, span: c.span("name"), args: values(c.m.Name, name),
		message: say("the folder is called %q and the model %q; Triton wants one name", c.m.Name, name),
		fixes:   replace("replace "+name+" by "+c.m.Name, c.span("name"), text.Quote(c.m.Name)),
	})
}
