package memory

import (
	"path/filepath"
	"slices"
	"strings"
)

// version names the files in which one version of control groups reports memory.
type version struct {
	mount  string   // the type of the file system
	limits []string // files with a limit; the kernel slows a group down that is above memory.high
	used   string   // the file with the memory in use
	cached []string // entries of memory.stat: the part in use that caches files and that the system can free
}

var (
	first  = &version{"cgroup", []string{"memory.limit_in_bytes"}, "memory.usage_in_bytes", []string{"total_inactive_file", "total_active_file"}}
	second = &version{"cgroup2", []string{"memory.max", "memory.high"}, "memory.current", []string{"inactive_file", "active_file"}}
)

// group is a control group that this process is in.
type group struct {
	*version
	mount, folder string // the group's own folder is the mount point's or lies below it
}

// limit is the limit of one group.
type limit struct {
	folder string
	bytes  int64
}

// limits returns the limits of the group and of its parents.
func (g group) limits(root string) (list []limit) {
	for folder := g.folder; ; folder = filepath.Dir(folder) {
		for _, file := range g.version.limits {
			if n, ok := number(text(root, folder, file)); ok && n > 0 {
				list = append(list, limit{folder, n})
			}
		}
		if folder == g.mount || len(folder) <= 1 {
			return list
		}
	}
}

// used returns the memory in use by the group of a folder, without the part that the system can free.
func (g group) used(root, folder string) (int64, bool) {
	used, ok := number(text(root, folder, g.version.used))
	stat := text(root, folder, "memory.stat")
	for _, cached := range g.cached {
		n, _ := entry(stat, cached)
		used -= n
	}
	return used, ok
}

func text(root string, path ...string) string {
	content, err := readFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

// groups returns the control groups of this process, of both versions.
func groups(root string) (list []group) {
	mounts := text(root, "proc/self/mountinfo")
	for line := range strings.Lines(text(root, "proc/self/cgroup")) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		var v *version
		switch {
		case parts[0] == "0" && parts[1] == "":
			v = second
		case contains(parts[1], "memory"):
			v = first
		default:
			continue
		}
		for mount := range strings.Lines(mounts) {
			if point, inside, ok := v.mounted(mount); ok {
				list = append(list, group{v, point, filepath.Join(point, below(parts[2], inside))})
			}
		}
	}
	return list
}

func contains(list, name string) bool { return slices.Contains(strings.Split(list, ","), name) }

// mounted reads a line of mountinfo. If the line mounts the control groups of this version, it returns the mount
// point, and the group that is visible there. Of version 1 only the memory controller's mount counts.
func (v *version) mounted(line string) (point, inside string, ok bool) {
	before, after, found := strings.Cut(line, " - ")
	fields, options := strings.Fields(before), strings.Fields(after)
	if !found || len(fields) < 5 || len(options) < 1 || options[0] != v.mount {
		return "", "", false
	}
	if v == first && (len(options) < 3 || !contains(options[2], "memory")) {
		return "", "", false
	}
	return fields[4], fields[3], true
}

// below returns a group's path relative to the group that is mounted. For a group outside of that it returns "". In a
// container that sees only its own part of the tree, the mount itself is then the process's group.
func below(group, mounted string) string {
	if mounted == "/" {
		if strings.HasPrefix(group, "/..") {
			return ""
		}
		return group
	}
	if rest, ok := strings.CutPrefix(group, mounted); ok && (rest == "" || rest[0] == '/') {
		return rest
	}
	return ""
}
