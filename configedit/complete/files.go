package complete

import (
	"slices"
	"strconv"
	"strings"

	"conch/configedit/backends"
)

// files are the entries of the model's folder.
type files struct{ *place }

// under are the files in a folder of the model's folder, as fields name them: relative to it.
func (p files) under(folder string) []Item {
	if p.m.Folder == nil {
		return nil
	}
	var files []string
	for _, f := range p.m.Folder.Files {
		if rel, ok := strings.CutPrefix(f, folder+"/"); ok {
			files = append(files, rel)
		}
	}
	return quoted(KindFile, "in "+folder+"/", files...)
}

// modelFiles returns the usual names of model files. Names of existing files come first.
func (p files) modelFiles() []Item {
	var there []string
	for _, f := range p.m.Facts.Files {
		there = append(there, f.Name)
	}
	items := quoted(KindFile, "in the version folder", there...)
	for _, format := range backends.Named(p.m.Effective.GetBackend()).Formats {
		if !slices.Contains(there, format.File) {
			items = append(items, quoted(KindFile, "the usual name", format.File)...)
		}
	}
	return items
}

// folders are the version folders that there are.
func (p files) folders() []Item {
	if p.m.Folder == nil {
		return nil
	}
	var items []Item
	for _, v := range p.m.Folder.Versions {
		number := strconv.FormatInt(v, 10)
		items = append(items, Item{Label: number, Kind: KindValue, Detail: "there is such a folder", Insert: number})
	}
	return items
}

// labels are the files beside the config.
func (p files) labels() []Item {
	if p.m.Folder == nil {
		return nil
	}
	isConfig := func(f string) bool { return strings.HasSuffix(f, ".pbtxt") }
	files := slices.DeleteFunc(slices.Clone(p.m.Folder.Files), isConfig)
	return quoted(KindFile, "in the model's folder", files...)
}
