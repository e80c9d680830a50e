package metricsapi

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/procfs"
)

var (
	utilization = prometheus.NewDesc("nv_cpu_utilization", "CPU utilization rate [0.0 - 1.0]", nil, nil)
	memoryTotal = prometheus.NewDesc("nv_cpu_memory_total_bytes", "CPU total memory (RAM), in bytes", nil, nil)
	memoryUsed  = prometheus.NewDesc("nv_cpu_memory_used_bytes", "CPU used memory (RAM), in bytes", nil, nil)
)

// processor collects metrics of the whole machine. It reads Linux's /proc. Other systems have no
// such metrics, as in Triton (docs/triton/metrics.md, "Families").
type processor struct {
	// mu guards the times of the last page.
	mu   sync.Mutex
	last times
}

// times are the seconds since the machine started, summed over all processors.
type times struct{ busy, idle float64 }

func newProcessor() prometheus.Collector { return &processor{} }

// Describe names the three gauges.
func (p *processor) Describe(ch chan<- *prometheus.Desc) {
	ch <- utilization
	ch <- memoryTotal
	ch <- memoryUsed
}

// Collect sends the gauges that can be read.
func (p *processor) Collect(ch chan<- prometheus.Metric) {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return
	}
	if stat, err := proc.Stat(); err == nil {
		ch <- prometheus.MustNewConstMetric(utilization, prometheus.GaugeValue, p.rate(timesOf(stat.CPUTotal)))
	}
	if memory, err := proc.Meminfo(); err == nil && memory.MemTotalBytes != nil && memory.MemAvailableBytes != nil {
		total, available := float64(*memory.MemTotalBytes), float64(*memory.MemAvailableBytes)
		ch <- prometheus.MustNewConstMetric(memoryTotal, prometheus.GaugeValue, total)
		ch <- prometheus.MustNewConstMetric(memoryUsed, prometheus.GaugeValue, total-available)
	}
}

// rate returns the busy share of the time since the last page.
func (p *processor) rate(now times) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	busy, idle := now.busy-p.last.busy, now.idle-p.last.idle
	p.last = now
	if busy+idle <= 0 {
		return 0
	}
	return busy / (busy + idle)
}

// timesOf adds up the times of a processor. The time of guests is part of the user's time.
func timesOf(c procfs.CPUStat) times {
	return times{busy: c.User + c.Nice + c.System + c.IRQ + c.SoftIRQ + c.Steal, idle: c.Idle + c.Iowait}
}
