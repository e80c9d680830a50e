package environments

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// archives are the endings by which pip knows a file.
var archives = []string{".whl", ".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz", ".xz", ".txz", ".lz", ".tlz", ".lzma"}

// built are the files of a folder that say which package it holds.
var built = []string{"pyproject.toml", "setup.py", "setup.cfg"}

// extras matches what follows the name of a package or its place: "[all]".
var extras = regexp.MustCompile(`\[[^\]]*\]$`)

// local returns the files and folders that a line names; none for a package of an index.
func local(line string) (paths []string) {
	words := []string{line}
	if strings.HasPrefix(line, "-") {
		words, _ = split(line)
	} else if at := strings.Index(line, " -"); at >= 0 {
		words[0] = line[:at]
	}
	for i, word := range words {
		path := localPath(word)
		if i > 0 && slices.Contains(places, words[i-1]) && !strings.Contains(word, "://") {
			path = extras.ReplaceAllString(word, "")
		}
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// places are the options whose value is a place, with a slash or without.
var places = []string{"-e", "--editable", "-f", "--find-links"}

// localPath returns the path that a package, or a word of a line of options, names; "" for none.
func localPath(word string) string {
	word, _, _ = strings.Cut(word, ";")
	isPlace := false
	for _, option := range []string{"--editable=", "--find-links=", "-e", "-f"} {
		rest, is := strings.CutPrefix(word, option)
		word, isPlace = rest, isPlace || is && rest != ""
	}
	if name, after, has := strings.Cut(word, "@"); has && !strings.Contains(name, "/") {
		word = after // "helper@wheels/helper.whl"
	}
	if at := strings.Index(strings.ToLower(word), "file:"); at >= 0 {
		word, isPlace = strings.TrimPrefix(word[at+len("file:"):], "//"), true
	}
	word, _, _ = strings.Cut(word, "#")
	word = extras.ReplaceAllString(strings.TrimSpace(word), "")
	switch {
	case strings.Contains(word, "://"):
		return ""
	case isPlace, strings.HasPrefix(word, "."), strings.Contains(word, "/"), slices.Contains(archives, strings.ToLower(filepath.Ext(word))):
		return word
	}
	return ""
}

// stamps tells one state of a file or a folder from others: what was built again under its name is another package.
func stamps(path string) (list []string) {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if !info.IsDir() {
		return []string{stamp(path, info)}
	}
	entries, _ := os.ReadDir(path)
	for _, entry := range entries {
		isPart := slices.Contains(built, entry.Name()) || slices.Contains(archives, strings.ToLower(filepath.Ext(entry.Name())))
		if info, err := entry.Info(); err == nil && isPart {
			list = append(list, stamp(filepath.Join(path, entry.Name()), info))
		}
	}
	return list
}

func stamp(path string, info os.FileInfo) string {
	return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano())
}
