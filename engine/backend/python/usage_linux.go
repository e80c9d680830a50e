package python

import (
	"time"

	"github.com/prometheus/procfs"
)

// usage returns the memory of the process, as memory does, and its processor time.
func (p *process) usage() (resident uint64, cpu time.Duration) {
	resident, _ = p.memory()
	if proc, err := procfs.NewProc(p.cmd.Process.Pid); err == nil {
		if stat, err := proc.Stat(); err == nil {
			cpu = time.Duration(stat.CPUTime() * float64(time.Second))
		}
	}
	return resident, cpu
}
