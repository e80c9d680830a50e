package derive

import (
	"slices"

	"conch/configedit/modelconfig"
)

// Versions are those that Triton loads under a version policy, of the versions that exist, which are sorted
// (docs/triton/repository.md, "Version policy").
func Versions(policy *modelconfig.ModelVersionPolicy, existing []int64) []int64 {
	switch choice := policy.GetPolicyChoice().(type) {
	case *modelconfig.ModelVersionPolicy_Latest_:
		n := min(int64(choice.Latest.GetNumVersions()), int64(len(existing)))
		return existing[int64(len(existing))-n:]
	case *modelconfig.ModelVersionPolicy_Specific_:
		return slices.DeleteFunc(slices.Clone(existing), func(v int64) bool { return !slices.Contains(choice.Specific.Versions, v) })
	}
	return existing
}
