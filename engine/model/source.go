package model

import (
	"cmp"
	"slices"

	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/infer"
)

// Source is the folder that a model is loaded from, and its config.
type Source struct {
	Name string // the folder's name
	// Namespace is the repository, when each has names of its own (--model-namespacing); "" otherwise.
	Namespace string
	Dir       string // absolute
	Root      string // the repository's folder; "" where there is none
	// ConfigPath is the file that ConfigText was read from; "" when the model has none.
	ConfigPath string
	ConfigText []byte
	// Override is a config as JSON that replaces the file's; "" for none.
	Override string
}

// VersionDir is one version's folder.
type VersionDir struct {
	Number int64
	Dir    string
}

// Select returns the existing versions that a config asks for, in ascending order.
func Select(policy *modelconfig.ModelVersionPolicy, existing []VersionDir) []VersionDir {
	sorted := slices.SortedFunc(slices.Values(existing), func(a, b VersionDir) int { return cmp.Compare(a.Number, b.Number) })
	numbers := make([]int64, len(sorted))
	for i, v := range sorted {
		numbers[i] = v.Number
	}
	wanted := derive.Versions(policy, numbers)
	return slices.DeleteFunc(sorted, func(v VersionDir) bool { return !slices.Contains(wanted, v.Number) })
}

// NoVersion returns the error of a load that selects no version (rule L1).
func NoVersion(name string) error {
	return infer.Refused(rule.L1, name)
}
