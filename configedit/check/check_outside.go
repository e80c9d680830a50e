package check

import (
	"path"

	"conch/configedit/diag"
	"conch/configedit/folder"
)

// leaves reports a file that a config names and that lies elsewhere than it seems to: WU8 and ST10. Triton opens it; so
// does `conch serve`, when it is told to. The workbench's engine does not.
func (c *checker) leaves(code string, at []any, rel string) {
	where := ""
	if folder.Outside(rel) {
		where = say("file %q lies outside of the model's folder", rel)
	} else if target := c.m.Folder.leads(rel); target != "" {
		where = say("%q is a link to %s, outside of the repository", rel, target)
	}
	if where == "" {
		return
	}
	d := diag.Diagnostic{Code: code, Span: c.span(at...), Severity: diag.Warning, Message: where + ": Triton opens it, `conch serve` only with --allow-external-paths"}
	if c.m.Workbench {
		d.Severity, d.Message = diag.Error, where+", and is not opened here: put a copy of it into the model's folder"
	}
	c.add(stageNever, d)
}

// lacks tells whether a file that a config names is not there, also where its path has .. in it.
func (f *Folder) lacks(rel string) bool {
	if !folder.Outside(rel) {
		return !f.hasFile(path.Clean(rel))
	}
	_, there := f.sizeOf(rel)
	return f != nil && f.Size != nil && !there
}

// leads is the file outside of the repository that a link stands for; "" for any other file.
func (f *Folder) leads(rel string) string {
	if f == nil || f.Leads == nil {
		return ""
	}
	return f.Leads(rel)
}
