package serve

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
)

// holderOf returns the process that listens on a TCP port. The socket's number is in /proc/net, and a link to it is
// among the process's open files. This package reads the table of sockets itself, because procfs no longer reads it
// and refers to netlink.
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

// processWith returns a process that has a file open. The files of other users' processes cannot be
// seen.
func processWith(file string) holder {
	processes, err := procfs.AllProcs()
	if err != nil {
		return holder{}
	}
	for _, p := range processes {
		files, err := p.FileDescriptorTargets()
		if err != nil || !slices.Contains(files, file) {
			continue
		}
		name, _ := p.Comm() // it may have ended meanwhile
		return holder{pid: p.PID, program: name}
	}
	return holder{}
}
