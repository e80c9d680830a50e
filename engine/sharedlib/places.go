package sharedlib

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// places are where the loader looks for a library that is given by its name.
type places struct {
	variable string              // LD_LIBRARY_PATH
	cache    map[string][]string // the paths that the system's list has of a name
	usual    []string            // folders that it looks in at last
}

// system are the places of this machine, as they are now.
func system() places {
	p := places{variable: os.Getenv("LD_LIBRARY_PATH")}
	if runtime.GOOS != "linux" {
		return p
	}
	p.usual = []string{"/lib64", "/usr/lib64", "/lib", "/usr/lib"}
	if triplet := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]; triplet != "" {
		p.usual = append([]string{"/lib/" + triplet, "/usr/lib/" + triplet}, p.usual...)
	}
	if text, err := os.ReadFile("/etc/ld.so.cache"); err == nil {
		p.cache = parseCache(text)
	}
	return p
}

// find returns the file that the loader would open for a name that a library needs; "" when there is none, or when that cannot
// be told.
func (p places) find(name string, by needs) string {
	if name == "" || strings.Contains(p.variable, "$") { // the loader replaces words in it by what it alone knows
		return ""
	}
	if strings.ContainsRune(name, filepath.Separator) {
		return name
	}
	told := strings.FieldsFunc(p.variable, func(r rune) bool { return r == ':' || r == ';' })
	paths := in(name, by.before, told, by.after)
	paths = append(paths, p.cache[name]...)
	paths = append(paths, in(name, p.usual)...)
	if i := slices.IndexFunc(paths, suits); i >= 0 {
		return paths[i]
	}
	return ""
}

func in(name string, lists ...[]string) (paths []string) {
	for _, folder := range slices.Concat(lists...) {
		paths = append(paths, filepath.Join(folder, name))
	}
	return paths
}

// suits reports that the loader stops at a file. It goes on past one that is for another processor.
func suits(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return err == nil // the loader is not let come that far
	}
	p, err := PlatformOf(path)
	return err == nil && (p.System != elfSystem || p.Fits())
}
