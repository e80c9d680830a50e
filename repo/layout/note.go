package layout

import (
	"path"
	"slices"
	"strings"
)

// notes are the names, without their endings, under which people describe a model for other people.
var notes = []string{
	"readme", "license", "licence", "copying", "notice", "authors", "contributing", "changelog", "changes",
	"citation", "model_card", "modelcard", "note", "notes", "todo",
}

// noteEndings are the endings of such files. Data has others: a program may well read notes.json.
var noteEndings = []string{"", ".md", ".txt", ".rst", ".cff"}

// toolFiles are what git, Docker and editors read.
var toolFiles = []string{
	".gitignore", ".gitattributes", ".gitkeep", ".gitmodules", ".keep", ".dockerignore", ".editorconfig",
}

// Note reports whether a file directly in a model's folder is, by its name, for people or for a tool such as git. No
// backend reads such a file, unless the config names it. Other text may be anything: a Python program may read any of it.
func Note(name string) bool {
	lower := strings.ToLower(name)
	ext := path.Ext(lower)
	return slices.Contains(toolFiles, lower) ||
		slices.Contains(noteEndings, ext) && slices.Contains(notes, strings.TrimSuffix(lower, ext))
}
