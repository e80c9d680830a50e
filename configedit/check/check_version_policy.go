package check

import (
	"slices"
	"strconv"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// checkVersions: L1 to L4. Which version folders there are, and which of them the policy chooses.
func (c *checker) checkVersions() {
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
	d := diag.Diagnostic{
		Code: "L1", Span: c.name("version_policy"),
		Triton: triton("at least one version must be available under the version policy of model '%s'", c.cfg.GetName()),
	}
	if len(folder.Versions) == 0 && c.m.Name != "" {
		d.Fixes = []diag.Fix{{Title: "create 1/", Edits: []diag.Edit{{File: c.m.Name + "/1/"}}}}
	}
	there := strings.Join(numbers(folder.Versions), ", ")
	latest := c.cfg.GetVersionPolicy().GetLatest()
	switch {
	case len(folder.Versions) == 0 && c.isEnsemble():
		d.Message = "the model's folder holds no version folder; an ensemble needs one too, such as 1/, even if it is empty"
	case len(folder.Versions) == 0 && misplaced(folder) != "":
		d.Message = say("the model's folder holds no version folder, and %s lies beside the config: make one, such as 1/, and move it there", misplaced(folder))
	case len(folder.Versions) == 0:
		d.Message = "the model's folder holds no version folder: make one, such as 1/, and put the model file into it"
	case latest != nil:
		d.Span = c.name("version_policy", "latest")
		d.Message = "this policy serves no version: latest without num_versions means none"
		if m := c.message("version_policy", "latest"); m != nil && !c.has("version_policy", "latest", "num_versions") {
			d.Fixes = c.insert("num_versions: 1", "version_policy", "latest")
		} else if c.has("version_policy", "latest", "num_versions") {
			d.Fixes = replace("replace 0 by 1", c.span("version_policy", "latest", "num_versions"), "1")
		}
		if c.spoiled("version_policy", "latest") {
			return
		}
	case specific != nil:
		d.Span = c.span("version_policy", "specific", "versions")
		d.Message = say("this policy serves no version: there is only %s", there)
		if len(specific.Versions) == 0 {
			d.Message = "this policy serves no version: it lists none"
		}
		d.Fixes = c.setDims(folder.Versions[len(folder.Versions)-1:], "version_policy", "specific", "versions")
	}
	c.add(rule.Versions, d)
}

// misplaced is a model file that lies outside of any version folder.
func misplaced(folder *Folder) string {
	for _, file := range folder.Files {
		name, rest, inside := strings.Cut(file, "/")
		_, format, known := backends.OfFile(name)
		if known && (!inside && format.Form != backends.Folder || rest != "" && format.Form == backends.Folder) {
			return name
		}
	}
	return ""
}

// missingVersions: L2. Triton serves the others, and says so in its log alone.
func (c *checker) missingVersions(folder *Folder, policy *modelconfig.ModelVersionPolicy_Specific) {
	for i, v := range policy.GetVersions() {
		if !slices.Contains(folder.Versions, v) {
			c.add(rule.Never, diag.Diagnostic{
				Severity: diag.Warning, Code: "L2", Span: c.span("version_policy", "specific", "versions", i),
				Message: say("there is no version folder %d; the other versions are served", v),
				Triton:  triton("version %d is specified for model '%s', but the version directory is not present", v, c.cfg.GetName()),
			})
		}
	}
}

// oddFolders: L3 and L4.
func (c *checker) oddFolders(folder *Folder) {
	for _, odd := range folder.Odd {
		if !meantAsVersion(odd.Name) {
			continue
		}
		if tooLarge(odd.Name) {
			c.add(rule.Versions, diag.Diagnostic{
				Code: "VERSION", Span: c.name("version_policy"),
				Message: say("the number of version folder %q is too large; on this Triton does not answer but crashes", odd.Name),
			})
			continue
		}
		d := diag.Diagnostic{
			Severity: diag.Warning, Code: "L4", Span: c.name("version_policy"), Message: say("folder %q: %s", odd.Name, odd.Why),
		}
		if len(odd.Name) > 1 && odd.Name[0] == '0' {
			d.Code = "L3"
			d.Triton = triton("ignore version directory '%s' which contains leading zeros in its directory name", odd.Name)
		} else if strings.Trim(odd.Name, "0123456789") == odd.Name {
			d.Triton = triton("ignore version directory '%s' which fails to convert to integral number", odd.Name)
		}
		c.add(rule.Never, d)
	}
}

// tooLarge tells whether a folder's name begins with a number beyond 64 bits, which ends the server (triton-config D.2).
func tooLarge(name string) bool {
	digits := strings.TrimLeft(name, " \t")
	digits = strings.TrimPrefix(strings.TrimPrefix(digits, "-"), "+")
	end := len(digits) - len(strings.TrimLeft(digits, "0123456789"))
	if end == 0 || len(name) > 1 && name[0] == '0' {
		return false
	}
	_, err := strconv.ParseInt(digits[:end], 10, 64)
	return err != nil
}

// meantAsVersion tells names such as 01, 1abc and v2 from those of folders that have nothing to do with versions.
func meantAsVersion(name string) bool {
	digits := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(name, "version"), "v"), "+-_ ")
	return digits != "" && digits[0] >= '0' && digits[0] <= '9'
}
