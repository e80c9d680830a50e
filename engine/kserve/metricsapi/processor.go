package metricsapi

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	utilization = prometheus.NewDesc("nv_cpu_utilization", "CPU utilization rate [0.0 - 1.0]", nil, nil)
	memoryTotal = prometheus.NewDesc("nv_cpu_memory_total_bytes", "CPU total memory (RAM), in bytes", nil, nil)
	memoryUsed  = prometheus.NewDesc("nv_cpu_memory_used_bytes", "CPU used memory (RAM), in bytes", nil, nil)
)

// processor collects what the whole machine does. It reads Linux's /proc; elsewhere there are no
// such metrics, as in Triton (docs/triton/metrics.md, "Families").
type processor struct {
	// mu guards the times of the page before.
	mu   sync.Mutex
	last times
}

// times are clock ticks since the machine started.
type times struct{ busy, idle float64 }

func newProcessor() prometheus.Collector { return &processor{} }

// Describe names the three gauges.
func (p *processor) Describe(ch chan<- *prometheus.Desc) {
	ch <- utilization
	ch <- memoryTotal
	ch <- memoryUsed
}

// Collect sends what can be read.
func (p *processor) Collect(ch chan<- prometheus.Metric) {
	if text, err := os.ReadFile("/proc/stat"); err == nil {
		if now, ok := parseTimes(text); ok {
			ch <- prometheus.MustNewConstMetric(utilization, prometheus.GaugeValue, p.rate(now))
		}
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		total, available := parseMemory(text)
		ch <- prometheus.MustNewConstMetric(memoryTotal, prometheus.GaugeValue, total)
		ch <- prometheus.MustNewConstMetric(memoryUsed, prometheus.GaugeValue, total-available)
	}
}

// rate is the busy share of the time since the page before.
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

// parseTimes reads the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal.
func parseTimes(stat []byte) (times, bool) {
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) < 6 || fields[0] != "cpu" {
		return times{}, false
	}
	var t times
	for i, field := range fields[1:min(len(fields), 9)] {
		n, err := strconv.ParseFloat(field, 64)
		switch {
		case err != nil:
			return times{}, false
		case i == 3 || i == 4:
			t.idle += n
		default:
			t.busy += n
		}
	}
	return t, true
}

// parseMemory reads MemTotal and MemAvailable, which the kernel tells in kilobytes.
func parseMemory(meminfo []byte) (total, available float64) {
	for lines := bufio.NewScanner(bytes.NewReader(meminfo)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 {
			continue
		}
		n, _ := strconv.ParseFloat(fields[1], 64)
		switch fields[0] {
		case "MemTotal:":
			total = n * 1024
		case "MemAvailable:":
			available = n * 1024
		}
	}
	return total, available
}
