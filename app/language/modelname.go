package language

import (
	"path"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
)

// FileName is how the model file is called in each version folder.
type FileName struct {
	// File is the name that the backend looks for; "" where it looks for a folder, or for none in particular.
	File string
	// Endings are those of files that can be such a file.
	Endings []string
	// Weights is the name of a second file; "" where there is none.
	Weights string
}

// FileNameOf returns the name under which the backend of a complete config looks for its model file.
func FileNameOf(cfg *modelconfig.ModelConfig) FileName {
	if cfg.GetBackend() == backends.Python {
		return FileName{} // a lone file may be a module that the program imports
	}
	format := backends.Named(cfg.GetBackend()).Format(cfg.GetPlatform())
	file := cfg.GetDefaultModelFilename()
	if file == "" {
		file = format.File
	}
	if file == "" || format.Form == backends.Folder || strings.Contains(file, "/") || len(cfg.GetCcModelFilenames()) > 0 {
		return FileName{}
	}
	name := FileName{File: file, Endings: format.Endings()}
	if ending := path.Ext(file); !slices.Contains(name.Endings, ending) {
		return FileName{File: file, Endings: []string{ending}}
	}
	if format.Weights != "" {
		name.Weights = strings.TrimSuffix(file, path.Ext(file)) + format.Weights
	}
	return name
}
