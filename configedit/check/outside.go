package check

import (
	"path"

	"conch/configedit/folder"
	"conch/configedit/rule"
)

// leaves reports a file that a config names and that lies elsewhere than it seems to: WU8 and ST13. Triton opens it; so
// does `conch serve`, when it is told to. The workbench's engine does not.
func (c *checker) leaves(r *rule.Rule, at []any, rel string) {
	where := ""
	if folder.Outside(rel) {
		where = say("file %q is outside the model's folder", rel)
	} else if target := c.m.Folder.leads(rel); target != "" {
		where = say("%q is a link to %s, outside the repository", rel, target)
	}
	if where == "" {
		return
	}
	f := finding{
		rule: r, span: c.span(at...),
		message: where + ": Triton opens it, `conch serve` only with --allow-external-paths",
	}
	if c.m.Workbench {
		f.refused, f.message = true, where+", and is not opened here: put a copy of it into the model's folder"
	}
	c.report(f)
}

// lacks reports whether a file that a config names is not there, also where its path has .. in it.
func (f *Folder) lacks(rel string) bool {
	if !folder.Outside(rel) {
		return !f.hasFile(path.Clean(rel))
	}
	_, there := f.sizeOf(rel)
	return f != nil && f.Size != nil && !there && !f.Away
}

// leads is the file outside of the repository that a link stands for; "" for any other file.
func (f *Folder) leads(rel string) string {
	if f == nil || f.Leads == nil {
		return ""
	}
	return f.Leads(rel)
}
