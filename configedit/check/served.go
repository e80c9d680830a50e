package check

import (
	"slices"

	"conch/configedit/modelconfig"
)

// Served are the versions that Triton would load under the model's version policy, ascending
// (docs/triton/repository.md, "Version policy").
func Served(m *Model) []int64 {
	if m.Folder == nil {
		return nil
	}
	all := m.Folder.Versions
	switch choice := m.Effective.GetVersionPolicy().GetPolicyChoice().(type) {
	case *modelconfig.ModelVersionPolicy_Latest_:
		n := min(int64(choice.Latest.GetNumVersions()), int64(len(all)))
		return all[int64(len(all))-n:]
	case *modelconfig.ModelVersionPolicy_Specific_:
		return slices.DeleteFunc(slices.Clone(all), func(v int64) bool { return !slices.Contains(choice.Specific.Versions, v) })
	}
	return all
}
