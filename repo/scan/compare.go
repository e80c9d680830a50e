package scan

import (
	"strconv"

	"conch/configedit/folder"
	"conch/repo/layout"
)

// Delta is what changed in a model, in the terms in which Triton decides what
// to reload.
type Delta struct {
	// Modified: anything changed at all.
	Modified bool
	// Config: the config entry changed. Alone, it allows an update in place.
	Config bool
	// All: something changed that every version depends on, such as a label
	// file, so that all versions have to be loaded again.
	All bool
	// Versions are those whose own folder changed or appeared.
	Versions []int64
}

// Reload says whether this version has to be loaded again even if the config
// is the same.
func (d Delta) Reload(version int64) bool {
	if d.All {
		return true
	}
	for _, v := range d.Versions {
		if v == version {
			return true
		}
	}
	return false
}

// Compare tells what changed between two states of a model, as Triton's
// ModelRepositoryManager (IsModified, ModelTimestamp) does: a version has to
// be loaded again when its folder changed, or any entry that is neither the
// config nor named by digits alone. Deleting a direct entry modifies the
// model but asks no version to be loaded again.
//
// configEntry is the entry that holds the config: "" for config.pbtxt,
// folder.Variants if a variant is in use.
func Compare(old, now *Model, configEntry string) Delta {
	if configEntry == "" {
		configEntry = layout.ConfigFile
	}
	d := Delta{Modified: old.Fingerprint != now.Fingerprint}
	if !d.Modified {
		return d
	}
	was := make(map[string]string, len(old.Entries))
	for _, e := range old.Entries {
		was[e.Name] = e.Fingerprint
	}
	for _, e := range now.Entries {
		if was[e.Name] != e.Fingerprint {
			d.count(e, configEntry)
		}
		delete(was, e.Name)
	}
	_, gone := was[configEntry]
	d.Config = d.Config || gone
	return d
}

// count adds an entry that is new or changed.
func (d *Delta) count(e Entry, configEntry string) {
	switch {
	case e.Name == configEntry:
		d.Config = true
	case folder.HasNonDigit(e.Name):
		d.All = true
	default:
		if number, err := strconv.ParseInt(e.Name, 10, 64); err == nil {
			d.Versions = append(d.Versions, number)
		}
	}
}
