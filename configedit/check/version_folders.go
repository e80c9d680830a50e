package check

import (
	"slices"
	"strconv"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/folder"
	"conch/configedit/rule"
)

// oddFolders: L3 and L4.
func (c versionCheck) oddFolders(dir *Folder) {
	for _, odd := range dir.Odd {
		if !folder.MeantAsVersion(odd.Name) {
			continue
		}
		if tooLarge(odd.Name) {
			c.report(finding{
				rule: rule.VERSION, span: c.name("version_policy"),
				message: say("the number of version folder %q is too large; Triton crashes on this", odd.Name),
			})
			continue
		}
		d := finding{
			rule: rule.L4, span: c.name("version_policy"), args: values(odd.Name),
			message: say("folder %q: %s", odd.Name, odd.Why),
		}
		if len(odd.Name) > 1 && odd.Name[0] == '0' {
			d.rule = rule.L3
		} else {
			d.unsaid = beginsWithNumber(odd.Name) // Triton takes it for a version
		}
		d.fixes = c.named(dir, odd.Name)
		c.report(d)
	}
}

// named gives a folder that looks like a version the number that is meant, where that is better than nothing: it has a
// model file in it, or it is empty and there is no version that it could take the place of.
func (c versionCheck) named(dir *Folder, name string) []diag.Fix {
	version, ok := folder.MeantVersion(name)
	number := strconv.FormatInt(version, 10)
	if !ok || c.m.Name == "" || dir.Has == nil || dir.Has(number) || !dir.hasModel(name) && !(len(dir.Versions) == 0 && dir.isEmpty(name)) {
		return nil
	}
	return []diag.Fix{{
		Title: say("rename %s/ to %s/", name, number),
		Edits: []diag.Edit{{File: c.m.Name + "/" + number, From: c.m.Name + "/" + name}},
	}}
}

// namedVersions gives each of the folders that look like versions the number that is meant, as named does.
func (c versionCheck) namedVersions(folder *Folder) (fixes []diag.Fix) {
	for _, odd := range folder.Odd {
		fixes = append(fixes, c.named(folder, odd.Name)...)
	}
	return fixes
}

// isEmpty reports whether a folder outside the versions is known to have no file in it, but for hidden ones.
func (f *Folder) isEmpty(name string) bool {
	return !f.Away && !f.unread(name) && !slices.ContainsFunc(f.Files, func(file string) bool {
		rest, inside := strings.CutPrefix(file, name+"/")
		return inside && !strings.HasPrefix(rest, ".")
	})
}

// hasModel reports whether a folder outside the versions has a file in it that is a model's by its ending.
func (f *Folder) hasModel(name string) bool {
	return slices.ContainsFunc(f.Files, func(file string) bool {
		_, _, known := backends.OfEnding(file)
		return known && strings.HasPrefix(file, name+"/")
	})
}

// tooLarge reports whether a folder's name begins with a number beyond 64 bits, which crashes the server
// (docs/triton/repository.md, "Version folders").
func tooLarge(name string) bool {
	digits := afterSign(name)
	end := len(digits) - len(strings.TrimLeft(digits, "0123456789"))
	if end == 0 || len(name) > 1 && name[0] == '0' {
		return false
	}
	_, err := strconv.ParseInt(digits[:end], 10, 64)
	return err != nil
}

// afterSign is a name without the blanks and the sign that Triton reads in front of a number.
func afterSign(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(strings.TrimLeft(name, " \t"), "-"), "+")
}

// beginsWithNumber reports whether Triton reads a number at the beginning of a folder's name.
func beginsWithNumber(name string) bool {
	digits := afterSign(name)
	return digits != "" && digits[0] >= '0' && digits[0] <= '9'
}
