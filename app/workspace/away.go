package workspace

import (
	"cmp"
	"slices"

	"conch/configedit/folder"
	"conch/repo/scan"
)

// holding returns a scan that has, for each root that is away, the models of before, since the engine
// keeps what it loaded from there. A root is away when it cannot be read, when a folder without models
// is in its place, or when all its models disappear at once while some of them are loaded. away says
// for people why each root is away.
func holding(index, before *scan.Index, loaded func(model string) bool) (shown *scan.Index, away map[string]string) {
	shown, away = index, map[string]string{}
	for i, root := range index.Roots {
		why := awayBecause(index, before, root, loaded)
		if why == "" {
			continue
		}
		if len(away) == 0 {
			held := *index
			held.Roots, held.Models = slices.Clone(index.Roots), slices.Clone(index.Models)
			shown = &held
		}
		away[root.Path] = why
		shown.Roots[i] = rootOf(before, root.Path)
		shown.Models = append(shown.Models, modelsOf(before, root.Path)...)
	}
	if len(away) > 0 {
		slices.SortStableFunc(shown.Models, func(a, b *scan.Model) int { return cmp.Compare(a.Name, b.Name) })
	}
	return shown, away
}

// awayTrouble describes the first root that is away.
func awayTrouble(index *scan.Index, away map[string]string) hindrance {
	for _, root := range index.Roots {
		if why := away[root.Path]; why != "" {
			return hindrance{sentence: why + " What was loaded from it keeps serving, and the models are shown as they were."}
		}
	}
	return hindrance{}
}

// awayBecause says why a root is away whose models were known before; "" when it is not away.
func awayBecause(index, before *scan.Index, root scan.Root, loaded func(model string) bool) string {
	models := modelsOf(before, root.Path)
	if len(models) == 0 || len(modelsOf(index, root.Path)) > 0 {
		return ""
	}
	if why := missingBecause(index, root.Path); why != "" {
		return why
	}
	replaced := root.Identity != rootOf(before, root.Path).Identity
	switch {
	case replaced:
		return root.Path + " was replaced by a folder without models."
	case folder.Vanished(len(models), replaced) && slices.ContainsFunc(models, func(m *scan.Model) bool { return loaded(m.Name) }):
		return root.Path + " has no models any more. If they were removed on purpose, unload them."
	}
	return ""
}

// missingBecause says why a root cannot be read; "" when it can.
func missingBecause(index *scan.Index, root string) string {
	for _, p := range index.Problems {
		if p.Code == scan.RootMissing && p.Path == root {
			return p.What
		}
	}
	return ""
}

func rootOf(index *scan.Index, path string) scan.Root {
	for _, root := range index.Roots {
		if root.Path == path {
			return root
		}
	}
	return scan.Root{Path: path}
}

func modelsOf(index *scan.Index, root string) (list []*scan.Model) {
	for _, m := range index.Models {
		if m.Root == root {
			list = append(list, m)
		}
	}
	return list
}
