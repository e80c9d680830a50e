package control

import (
	"maps"
	"slices"

	"conch/configedit/rule"
)

// dependentsFirst orders names so that an ensemble comes before its models. The order of models on
// a cycle is not defined.
func dependentsFirst(parts map[string][]string) []string {
	order := partsFirst(parts)
	slices.Reverse(order)
	return order
}

// partsFirst orders names so that an ensemble comes after its models.
func partsFirst(parts map[string][]string) []string {
	var order []string
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, part := range parts[name] {
			visit(part)
		}
		if _, own := parts[name]; own {
			order = append(order, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		visit(name)
	}
	return order
}

// cycle looks for a circle of ensembles that can be reached from name, and returns Triton's
// sentence for it (rule D2; docs/triton/ensembles.md, "Models of the steps"); "" when there is
// none.
func cycle(name string, parts map[string][]string) string {
	var path []string
	onPath, clean := map[string]bool{}, map[string]bool{}
	var visit func(name string) string
	visit = func(name string) string {
		switch {
		case clean[name]:
			return ""
		case onPath[name]:
			return rule.D2.Sentence(name, path[len(path)-1], name)
		}
		onPath[name] = true
		path = append(path, name)
		for _, part := range parts[name] {
			if found := visit(part); found != "" {
				return found
			}
		}
		path = path[:len(path)-1]
		onPath[name], clean[name] = false, true
		return ""
	}
	return visit(name)
}

// circles returns Triton's sentence for each name from which a circle of ensembles can be reached. One
// pass finds whether there is a circle; only then it looks for the ways.
func circles(parts map[string][]string) map[string]string {
	found := map[string]string{}
	bad, onPath, done := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var visit func(name string) bool
	visit = func(name string) bool {
		if onPath[name] {
			return true
		}
		if done[name] {
			return bad[name]
		}
		onPath[name] = true
		for _, part := range parts[name] {
			if visit(part) {
				bad[name] = true
			}
		}
		delete(onPath, name)
		done[name] = true
		return bad[name]
	}
	for name := range parts {
		if visit(name) {
			found[name] = cycle(name, parts)
		}
	}
	return found
}

// components splits names into groups of models that ensembles connect, so that one group does not wait
// for another.
func components(names []string, parts map[string][]string) [][]string {
	leader := map[string]string{}
	var find func(name string) string
	find = func(name string) string {
		up, ok := leader[name]
		if !ok || up == name {
			leader[name] = name
			return name
		}
		leader[name] = find(up)
		return leader[name]
	}
	for name, list := range parts {
		for _, part := range list {
			leader[find(part)] = find(name)
		}
	}
	groups := map[string][]string{}
	for _, name := range names {
		groups[find(name)] = append(groups[find(name)], name)
	}
	list := make([][]string, 0, len(groups))
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		list = append(list, groups[key])
	}
	return list
}
