package model

import (
	"cmp"
	"slices"

	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/infer"
)

// Select gives the versions that a config asks for, of those that exist, in ascending order
// (docs/triton/repository.md, "Version policy").
func Select(policy *modelconfig.ModelVersionPolicy, existing []VersionDir) []VersionDir {
	sorted := slices.SortedFunc(slices.Values(existing), func(a, b VersionDir) int { return cmp.Compare(a.Number, b.Number) })
	switch choice := policy.GetPolicyChoice().(type) {
	case *modelconfig.ModelVersionPolicy_Latest_:
		n := min(int(choice.Latest.GetNumVersions()), len(sorted))
		return sorted[len(sorted)-n:]
	case *modelconfig.ModelVersionPolicy_Specific_:
		wanted := choice.Specific.GetVersions()
		return slices.DeleteFunc(sorted, func(v VersionDir) bool { return !slices.Contains(wanted, v.Number) })
	}
	return sorted
}

// NoVersion is the failure of a load that selects nothing (rule L1).
func NoVersion(name string) error {
	return infer.Refused(rule.L1, name)
}
