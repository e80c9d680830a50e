package layout

import (
	"path"
	"regexp"
	"strings"
)

// tempPrefix begins the names of Conch's own temporary files. Hidden, so that
// other tools skip them as well.
const tempPrefix = ".conch-"

// TempPattern returns a pattern for os.CreateTemp whose results OwnTemp
// recognises. The file must lie beside the one it will replace.
func TempPattern(base string) string { return tempPrefix + base + "-*.tmp" }

// OwnTemp reports whether a name is one of Conch's own temporary files.
func OwnTemp(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, ".tmp")
}

// NoiseFile reports whether a file, by its base name, is a temporary file of an editor, a
// copying program or an interpreter. Such noise is neither listed nor watched nor
// counted as a change.
//
// Triton itself does count it: with --model-control-mode=poll a vim swap file
// reloads every version of a model, and so does the __pycache__ that loading
// a Python model creates. That is not behaviour anybody wants reproduced.
func NoiseFile(name string) bool {
	return OwnTemp(name) || noiseEnding(name) || noisePattern.MatchString(name)
}

// NoiseDir says the same of a folder. It is much shorter: "resnet.bak" may be
// a model, and is one to Triton.
func NoiseDir(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".jj", ".idea", ".vscode", ".vs", ".github",
		"__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".ipynb_checkpoints",
		".Trash", ".Spotlight-V100", "lost+found", "node_modules":
		return true
	}
	return OwnTemp(name) || diskTrash.MatchString(name)
}

// diskTrash is the trash of a user on a disk that is a repository: its name ends with the number of the user.
var diskTrash = regexp.MustCompile(`^\.Trash-[0-9]+$`)

func noiseEnding(name string) bool {
	switch {
	case strings.HasSuffix(name, "~"), strings.HasPrefix(name, ".#"):
		return true
	case name == ".DS_Store", name == "Thumbs.db", name == "desktop.ini":
		return true
	}
	switch path.Ext(name) {
	case ".swp", ".swo", ".swn", ".swx", ".swpx", ".kate-swp", ".tmp", ".temp", ".bak", ".orig", ".rej",
		".part", ".partial", ".filepart", ".crdownload", ".aria2", ".pyc":
		return true
	}
	return false
}

// noisePattern holds the names that need more than an ending:
//
//	#x#                     emacs auto-save
//	.goutputstream-, .fuse_hidden, .nfs   GTK, FUSE and NFS while a file is open
//	___jb_tmp___, ___jb_old___            JetBrains safe write
//	.~lock.x#               LibreOffice
//	sedXXXXXX               sed -i
//	.name.XXXXXX            rsync, while copying
//	x.tmp.1234.5678         npm-style atomic writers
var noisePattern = regexp.MustCompile(`^(#.*#|\.goutputstream-.*|\.fuse_hidden.*|\.nfs[0-9a-f]{8,}|.*___jb_(tmp|old)___|` +
	`\.~lock\..*#|sed[A-Za-z0-9]{6}|\..+\.[A-Za-z0-9]{6}|.*\.tmp(\.[0-9]+)+)$`)

// vimProbes is how vim asks whether it may create files in a folder: it makes
// 4913, or if that exists 5036, 5159 and so on, and deletes it at once.
const (
	vimProbeFirst = "4913"
	vimProbeNext  = "5036"
)

// VimProbe reports whether a name is the empty file vim makes to test a folder.
// A folder of this name is a version; only a file is noise.
func VimProbe(name string) bool { return name == vimProbeFirst || name == vimProbeNext }
