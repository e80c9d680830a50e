package engineapi

import (
	"os"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

func processUsage() (u usage) {
	if self, err := procfs.Self(); err == nil {
		if pages, err := self.Statm(); err == nil {
			u.resident = (pages.Resident - min(pages.Shared, pages.Resident)) * uint64(os.Getpagesize())
		}
	}
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) == nil {
		u.cpu = uint64(r.Utime.Nano() + r.Stime.Nano())
	}
	return u
}
