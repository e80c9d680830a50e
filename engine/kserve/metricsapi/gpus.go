package metricsapi

import (
	"math"

	"github.com/prometheus/client_golang/prometheus"

	"conch/engine/device"
	"conch/engine/kserve"
)

// gpuFamily is a family of metrics with a row for each GPU.
type gpuFamily struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	// part is the number of an instance of a GPU that is divided; nil where there is none.
	part  func(i *device.Instance) float64
	value func(g *device.GPU) float64 // NaN for a number that the driver does not tell: then there is no row
}

func ofGPUs(name, help string, kind prometheus.ValueType, value func(g *device.GPU) float64) gpuFamily {
	return gpuFamily{desc: prometheus.NewDesc(name, help, []string{"gpu_uuid"}, nil), kind: kind, value: value}
}

// andParts has instances tell of themselves, with their own UUIDs.
func (f gpuFamily) andParts(value func(i *device.Instance) float64) gpuFamily {
	f.part = value
	return f
}

// gpuFamilies are Triton's (docs/triton/metrics.md, "Families").
var gpuFamilies = []gpuFamily{
	ofGPUs("nv_gpu_utilization", "GPU utilization rate [0.0 - 1.0)", prometheus.GaugeValue, func(g *device.GPU) float64 { return g.Utilization }),
	ofGPUs("nv_gpu_memory_total_bytes", "GPU total memory, in bytes", prometheus.GaugeValue, func(g *device.GPU) float64 { return g.Total }).
		andParts(func(i *device.Instance) float64 { return i.Total }),
	ofGPUs("nv_gpu_memory_used_bytes", "GPU used memory, in bytes", prometheus.GaugeValue, func(g *device.GPU) float64 { return g.Used }).
		andParts(func(i *device.Instance) float64 { return i.Used }),
	ofGPUs("nv_gpu_power_usage", "GPU power usage in watts", prometheus.GaugeValue, func(g *device.GPU) float64 { return g.Power }),
	ofGPUs("nv_gpu_power_limit", "GPU power management limit in watts", prometheus.GaugeValue, func(g *device.GPU) float64 { return g.MaxPower }),
	ofGPUs("nv_energy_consumption", "GPU energy consumption in joules since the Triton Server started", prometheus.CounterValue,
		func(g *device.GPU) float64 { return g.Energy }),
}

// gpus collects the metrics of GPUs. A machine without them has no rows, and a family without rows is not on the page.
type gpus struct{ of kserve.DeviceReporter }

func newGPUs(svc kserve.Service) prometheus.Collector {
	of, _ := svc.(kserve.DeviceReporter)
	return gpus{of}
}

// Describe names the families.
func (gpus) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range gpuFamilies {
		ch <- f.desc
	}
}

// Collect sends what the driver told last. While it is in trouble there is nothing to send: old numbers would look like
// new ones.
func (c gpus) Collect(ch chan<- prometheus.Metric) {
	if c.of == nil {
		return
	}
	s := c.of.Devices()
	if s.Trouble != "" {
		return
	}
	for i := range s.GPUs {
		for _, f := range gpuFamilies {
			f.sendAll(ch, &s.GPUs[i])
		}
	}
}

// sendAll sends the rows of a GPU. Those of its instances take the place of its own, so that sums count nothing twice, as DCGM does it.
func (f gpuFamily) sendAll(ch chan<- prometheus.Metric, g *device.GPU) {
	if f.part == nil || len(g.Instances) == 0 {
		f.send(ch, f.value(g), g.UUID)
		return
	}
	for i := range g.Instances {
		f.send(ch, f.part(&g.Instances[i]), g.Instances[i].UUID)
	}
}

func (f gpuFamily) send(ch chan<- prometheus.Metric, n float64, uuid string) {
	if !math.IsNaN(n) {
		ch <- prometheus.MustNewConstMetric(f.desc, f.kind, n, uuid)
	}
}
