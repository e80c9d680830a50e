package rpc

import (
	"path"
	"path/filepath"

	"conch/app/api"
	"conch/configedit/folder"
	"conch/repo/layout"
	"conch/repo/scan"
)

// linked knows which folders of a model lie outside it, behind links.
type linked struct {
	dir string
	// leaves has the folders that were looked at.
	leaves map[string]bool
}

// isOutside reports whether a path leads out of the model's folder.
func (l linked) isOutside(rel string) bool {
	_, err := layout.Inside(l.dir, rel)
	return err != nil
}

// mark tells of a file that it is a link, or lies behind one. What lies outside of the model's folder is neither read
// nor edited.
func (l linked) mark(file *api.ModelFile, rel string, link bool) {
	parent := path.Dir(filepath.ToSlash(rel))
	outside, known := l.leaves[parent]
	if !known {
		outside = l.isOutside(parent)
		l.leaves[parent] = outside
	}
	note := ""
	switch {
	case outside:
		note = "in a linked folder elsewhere"
		file.Outside, file.Text = true, false
	case link && l.isOutside(filepath.ToSlash(rel)):
		note = "link to a file elsewhere"
		file.Text = false
	case link:
		note = "link"
	default:
		return
	}
	if file.Note != "" {
		note += "; " + file.Note
	}
	file.Note = note
}

// brokenLinks lists the links to nothing, so that they can be deleted.
func brokenLinks(m *scan.Model) (list []*api.ModelFile) {
	for _, p := range m.Problems {
		rel, err := filepath.Rel(m.Dir, p.Path)
		if p.Code == scan.DanglingLink && err == nil && filepath.IsLocal(rel) && rel != "." {
			list = append(list, &api.ModelFile{Path: folder.Name(filepath.ToSlash(rel)), Note: "link to something that does not exist"})
		}
	}
	return list
}
