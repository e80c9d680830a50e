package model

import (
	"cmp"
	"slices"

	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/infer"
)

// Select gives the versions that a config asks for, of those that exist, in ascending order.
func Select(policy *modelconfig.ModelVersionPolicy, existing []VersionDir) []VersionDir {
	sorted := slices.SortedFunc(slices.Values(existing), func(a, b VersionDir) int { return cmp.Compare(a.Number, b.Number) })
	numbers := make([]int64, len(sorted))
	for i, v := range sorted {
		numbers[i] = v.Number
	}
	wanted := derive.Versions(policy, numbers)
	return slices.DeleteFunc(sorted, func(v VersionDir) bool { return !slices.Contains(wanted, v.Number) })
}

// NoVersion is the failure of a load that selects nothing (rule L1).
func NoVersion(name string) error {
	return infer.Refused(rule.L1, name)
}
