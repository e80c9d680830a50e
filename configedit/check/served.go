package check

import "conch/configedit/derive"

// Served are the versions that Triton would load under the model's version policy, ascending.
func Served(m *Model) []int64 {
	if m.Folder == nil {
		return nil
	}
	return derive.Versions(m.Effective.GetVersionPolicy(), m.Folder.Versions)
}
