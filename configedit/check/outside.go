package check

import (
	"path"

	"conch/configedit/folder"
	"conch/configedit/rule"
)

// leaves reports a file that a config names and that is outside the model's folder: WU8 and ST13. Triton opens it, and
// `conch serve` does with --allow-external-paths. The workbench's engine does not.
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

// lacks reports whether a file that a config names is missing, even if its path has .. in it.
func (f *Folder) lacks(rel string) bool {
	if !folder.Outside(rel) {
		return !f.hasFile(path.Clean(rel))
	}
	_, there := f.sizeOf(rel)
	return f != nil && f.Size != nil && !there && !f.Away
}

// leads returns the file outside the repository that a link leads to, or "" for any other file.
func (f *Folder) leads(rel string) string {
	if f == nil || f.Leads == nil {
		return ""
	}
	return f.Leads(rel)
}
