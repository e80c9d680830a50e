package budget

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// someMemory is what a machine that does not tell is taken to have.
const someMemory = 8 << 30

// Memory is what this process may use at most: the machine's memory, or what the control groups that it is in leave of it.
func Memory() int64 { return memoryUnder("/") }

// memoryUnder is Memory with another folder in place of the root of the file system.
func memoryUnder(root string) int64 {
	total := int64(someMemory)
	if fields := strings.Fields(text(root, "proc/meminfo")); len(fields) > 1 && fields[0] == "MemTotal:" {
		if kilobytes, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
			total = kilobytes << 10
		}
	}
	for _, group := range memoryGroups(root) {
		for _, file := range group.files {
			for folder := group.folder; ; folder = filepath.Dir(folder) {
				if n, err := strconv.ParseInt(strings.TrimSpace(text(root, folder, file)), 10, 64); err == nil && n > 0 {
					total = min(total, n) // "max" is no number
				}
				if folder == group.mount || len(folder) <= 1 {
					break
				}
			}
		}
	}
	return total
}

func text(root string, path ...string) string {
	content, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil {
		return ""
	}
	return string(content)
}

// memoryGroup is a control group that this process is in, with the files that hold its limits.
type memoryGroup struct {
	mount, folder string // the group's own folder is the mount point's or lies below it
	files         []string
}

// memoryGroups finds the groups in both versions of the interface.
func memoryGroups(root string) []memoryGroup {
	var groups []memoryGroup
	mounts := text(root, "proc/self/mountinfo")
	for line := range strings.Lines(text(root, "proc/self/cgroup")) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		kind, files := "", []string(nil)
		switch {
		case parts[0] == "0" && parts[1] == "":
			kind, files = "cgroup2", []string{"memory.max", "memory.high"}
		case contains(parts[1], "memory"):
			kind, files = "cgroup", []string{"memory.limit_in_bytes"}
		default:
			continue
		}
		for mount := range strings.Lines(mounts) {
			if point, inside, ok := mountOf(mount, kind); ok {
				groups = append(groups, memoryGroup{point, filepath.Join(point, below(parts[2], inside)), files})
			}
		}
	}
	return groups
}

func contains(list, name string) bool {
	for item := range strings.SplitSeq(list, ",") {
		if item == name {
			return true
		}
	}
	return false
}

// mountOf reads a line of mountinfo: where control groups of a kind are mounted, and which of their folders is. Of the
// first version, it is the memory controller's mount.
func mountOf(line, kind string) (point, inside string, ok bool) {
	before, after, found := strings.Cut(line, " - ")
	fields, options := strings.Fields(before), strings.Fields(after)
	if !found || len(fields) < 5 || len(options) < 1 || options[0] != kind {
		return "", "", false
	}
	if kind == "cgroup" && (len(options) < 3 || !contains(options[2], "memory")) {
		return "", "", false
	}
	return fields[4], fields[3], true
}

// below is where a group's folder lies below the folder that is mounted. What lies outside of it, as in a container that
// shows its own part of the tree alone, is the mount itself.
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
