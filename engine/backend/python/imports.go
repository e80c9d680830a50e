package python

import (
	"encoding/json"
	"path/filepath"

	"conch/engine/backend"
	"conch/engine/backend/python/wire"
)

// imported is a file that a process tells: path, size, time in nanoseconds.
type imported struct {
	path           string
	size, modified int64
}

// UnmarshalJSON reads the three of a list.
func (i *imported) UnmarshalJSON(text []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	into := []any{&i.path, &i.size, &i.modified}
	if len(list) != len(into) {
		return wire.ErrBroken
	}
	for n, to := range into {
		if err := json.Unmarshal(list[n], to); err != nil {
			return err
		}
	}
	return nil
}

// passImports passes on the files that a process has told.
func passImports(spec backend.Spec, told []imported) {
	if spec.Imported == nil {
		return
	}
	var list []backend.Import
	for _, i := range told {
		if filepath.IsAbs(i.path) {
			list = append(list, backend.Import{Path: filepath.Clean(i.path), Look: backend.FileLook{Size: i.size, Modified: i.modified}})
		}
	}
	spec.Imported(list)
}
