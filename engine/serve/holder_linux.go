package serve

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// holderOf finds the process that listens on a TCP port: its socket's number is in /proc/net, and a link to it
// among the process's open files.
func holderOf(port int) (holder, bool) {
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		if inode := listenerInode(table, port); inode != "" {
			return processWith("socket:[" + inode + "]"), true
		}
	}
	return holder{}, false
}

// listening is the state TCP_LISTEN in /proc/net/tcp.
const listening = "0A"

func listenerInode(table string, port int) string {
	file, err := os.Open(table)
	if err != nil {
		return ""
	}
	defer file.Close()
	suffix := fmt.Sprintf(":%04X", port)
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) > 9 && fields[3] == listening && strings.HasSuffix(fields[1], suffix) {
			return fields[9]
		}
	}
	return ""
}

func processWith(link string) holder {
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, path := range links {
		if target, err := os.Readlink(path); err != nil || target != link {
			continue
		}
		process := strings.Split(path, "/")[2]
		pid, _ := strconv.Atoi(process)
		name, _ := os.ReadFile("/proc/" + process + "/comm")
		return holder{pid: pid, program: strings.TrimSpace(string(name))}
	}
	return holder{}
}
