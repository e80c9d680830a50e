package engineapi

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func processUsage() (u usage) {
	var pages struct{ size, resident, shared uint64 }
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if n, _ := fmt.Sscan(string(text), &pages.size, &pages.resident, &pages.shared); n == 3 {
			u.resident = (pages.resident - min(pages.shared, pages.resident)) * uint64(os.Getpagesize())
		}
	}
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) == nil {
		u.cpu = uint64(r.Utime.Nano() + r.Stime.Nano())
	}
	return u
}
