package check

import (
	"path"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// versionCheck checks version folders and the version policy.
type versionCheck struct{ *checker }

// checkVersions: L1 to L4. Which version folders there are, and which of them the policy chooses.
func checkVersions(base *checker) {
	c := versionCheck{base}
	folder := c.m.Folder
	if folder == nil {
		return
	}
	c.oddFolders(folder)
	specific := c.cfg.GetVersionPolicy().GetSpecific()
	if folder.unread("") {
		return
	}
	if len(Served(c.m)) > 0 {
		c.missingVersions(folder, specific)
		return
	}
	d := finding{rule: rule.L1, span: c.name("version_policy"), args: values(c.cfg.GetName())}
	if len(folder.Versions) == 0 {
		c.noFolder(folder, &d)
		c.report(d)
		return
	}
	there := strings.Join(numbers(folder.Versions), ", ")
	latest := c.cfg.GetVersionPolicy().GetLatest()
	switch {
	case latest != nil:
		d.span = c.name("version_policy", "latest")
		d.message = "this policy serves no version: latest without num_versions means none"
		if m := c.message("version_policy", "latest"); m != nil && !c.has("version_policy", "latest", "num_versions") {
			d.fixes = c.insert("num_versions: 1", "version_policy", "latest")
		} else if c.has("version_policy", "latest", "num_versions") {
			d.fixes = replace("replace 0 by 1", c.span("version_policy", "latest", "num_versions"), "1")
		}
		if c.spoiled("version_policy", "latest") {
			return
		}
	case specific != nil:
		d.span = c.span("version_policy", "specific", "versions")
		d.message = say("this policy serves no version: there is only %s", there)
		if len(specific.Versions) == 0 {
			d.message = "this policy serves no version: it lists none"
		}
		d.fixes = c.setDims(folder.Versions[len(folder.Versions)-1:], "version_policy", "specific", "versions")
	}
	c.report(d)
}

// noFolder says what a model without a version folder lacks, and how it gets one.
func (c versionCheck) noFolder(folder *Folder, d *finding) {
	named, beside := c.namedVersions(folder), c.misplaced(folder)
	d.missing = "1/"
	if name := c.modelFile(); c.namesModelFile() && backends.Named(c.cfg.GetBackend()).Formats != nil {
		d.missing += name
	}
	if c.m.Name != "" {
		d.fixes = named
		if len(named) == 0 || beside.from != "" {
			d.fixes = append(d.fixes, c.firstVersion(folder)...)
		}
		if program := c.firstProgram(1); program != nil && c.runsProgram() && beside.from == "" && len(named) == 0 {
			d.fixes = program
		}
	}
	switch {
	case c.isEnsemble():
		d.message = "the model's folder holds no version folder; an ensemble needs one too, such as 1/, even if it is empty"
	case beside.from != "" && c.m.Decoded == nil:
		d.message = say("the model's folder holds no version folder: make one, such as 1/, and move %s there%s", beside.from, beside.renamed())
	case beside.from != "":
		d.message = say("the model's folder holds no version folder, and %s is beside the config: make one, such as 1/, and move it there%s", beside.from, beside.renamed())
	case len(named) > 0:
		odd := path.Base(named[0].Edits[0].From)
		d.message = say("the model's folder holds no version folder: %s/ has a model file, but its name is not that of a version", odd)
		if folder.isEmpty(odd) {
			d.message = say("the model's folder holds no version folder: %s/ is empty, and its name is not that of a version", odd)
		}
	default:
		d.message = "the model's folder holds no version folder: make one, such as 1/, and put the model file into it"
	}
}

// firstVersion makes the folder of version 1, and moves a model file there that is outside of all.
func (c *checker) firstVersion(folder *Folder) []diag.Fix {
	first := c.m.Name + "/1/"
	if file := c.misplaced(folder); slices.Contains(folder.Files, file.from) {
		title := say("create 1/ and move %s there%s", file.from, file.renamed())
		return []diag.Fix{{Title: title, Edits: []diag.Edit{{File: first + file.to, From: c.m.Name + "/" + file.from}}}}
	}
	return []diag.Fix{{Title: "create 1/", Edits: []diag.Edit{{File: first}}}}
}

// astray is a model file outside all version folders, and its name in one.
type astray struct{ from, to string }

// renamed says under which name the file is moved, where it gets another.
func (a astray) renamed() string {
	if a.from == a.to {
		return ""
	}
	return " as " + a.to
}

// Misplaced returns the model file, or the folder that is the model, that lies outside all version folders of a model that has
// none; "" where none is meant.
func Misplaced(m *Model) string {
	if m.Folder == nil || len(m.Folder.Versions) > 0 {
		return ""
	}
	return newChecker(m, nil, newShared()).misplaced(m.Folder).from
}

// misplaced returns a model file that is outside all version folders: one with a name that Triton knows, or the only one of
// another name.
func (c *checker) misplaced(folder *Folder) astray {
	var others []astray
	for _, file := range folder.Files {
		name, rest, inside := strings.Cut(file, "/")
		_, format, known := backends.OfFile(name)
		if known && (!inside && format.Form != backends.Folder || rest != "" && format.Form == backends.Folder) {
			return astray{from: name, to: name}
		}
		if to := c.nameInVersion(file); to != "" {
			others = append(others, astray{from: file, to: to})
		}
	}
	if len(others) != 1 { // of several nobody knows which is meant
		return astray{}
	}
	return others[0]
}

// nameInVersion returns the name under which the backend opens a model file that is beside the config; "" for anything
// else, and where the file may be another part of the model.
func (c *checker) nameInVersion(file string) string {
	_, format, known := backends.OfEnding(file)
	if !known || strings.Contains(file, "/") || format.Form == backends.Folder || format.Weights != "" || format == backends.PythonProgram {
		return ""
	}
	if !c.namesModelFile() {
		return format.File
	}
	if _, wanted, _ := backends.OfEnding(c.modelFile()); wanted != format {
		return ""
	}
	return c.modelFile()
}

// missingVersions: L2. Triton serves the others, and only logs this.
func (c versionCheck) missingVersions(folder *Folder, policy *modelconfig.ModelVersionPolicy_Specific) {
	for i, v := range policy.GetVersions() {
		if !slices.Contains(folder.Versions, v) {
			c.report(finding{
				rule: rule.L2, span: c.span("version_policy", "specific", "versions", i),
				args:    values(v, c.cfg.GetName()),
				message: say("there is no version folder %d; the other versions are served", v),
			})
		}
	}
}
