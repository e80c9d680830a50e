package workspace

import (
	"cmp"
	"slices"

	"conch/repo/scan"
)

// severalGo is how many models have to be gone at once for a folder without any to count as away: the engine keeps them
// then (engine/control/roots.go).
const severalGo = 2

// holding gives a scan with the models of before for each root that is away, as the engine keeps what it loaded from
// it. A root is away when it cannot be read, when a folder without models is in its place, or when all its models are gone at
// once and some of them are loaded. why is for people; "" when none is.
func holding(index, before *scan.Index, loaded func(model string) bool) (shown *scan.Index, why string) {
	shown = index
	for i, root := range index.Roots {
		said := awayBecause(index, before, root, loaded)
		if said == "" {
			continue
		}
		if shown == index {
			held := *index
			held.Roots, held.Models = slices.Clone(index.Roots), slices.Clone(index.Models)
			shown = &held
		}
		shown.Roots[i] = rootOf(before, root.Path)
		shown.Models = append(shown.Models, modelsOf(before, root.Path)...)
		why = cmp.Or(why, said+" What was loaded from it keeps serving, and the models are shown as they were.")
	}
	if shown != index {
		slices.SortStableFunc(shown.Models, func(a, b *scan.Model) int { return cmp.Compare(a.Name, b.Name) })
	}
	return shown, why
}

// awayBecause says why a root is away whose models were known before; "" when it is not.
func awayBecause(index, before *scan.Index, root scan.Root, loaded func(model string) bool) string {
	models := modelsOf(before, root.Path)
	if len(models) == 0 || len(modelsOf(index, root.Path)) > 0 {
		return ""
	}
	for _, p := range index.Problems {
		if p.Code == scan.RootMissing && p.Path == root.Path {
			return p.What
		}
	}
	if root.Identity != rootOf(before, root.Path).Identity {
		return root.Path + " was replaced by a folder without models."
	}
	isLoaded := func(m *scan.Model) bool { return loaded(m.Name) }
	if len(models) >= severalGo && slices.ContainsFunc(models, isLoaded) {
		return root.Path + " has no models any more. If they were removed on purpose, unload them."
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
