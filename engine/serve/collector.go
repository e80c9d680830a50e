package serve

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"conch/engine/kserve/tracing/spans"
)

// openTelemetry is the mode in which traces are sent to a collector.
const openTelemetry = "opentelemetry"

// collector are the settings of --trace-config opentelemetry,KEY=VALUE.
type collector struct {
	used    bool // the mode says so; the settings alone send nothing
	options spans.Options
}

func (c *collector) set(key, value string) error {
	switch key {
	case "url":
		c.options.URL = value
		return nil
	case "resource":
		if name, _, ok := strings.Cut(value, "="); !ok || name == "" {
			return fmt.Errorf("a resource is written as resource=KEY=VALUE")
		}
		c.options.Resource = append(c.options.Resource, value)
		return nil
	}
	n, err := strconv.ParseUint(value, 10, 20)
	switch {
	case key != "bsp_max_queue_size" && key != "bsp_schedule_delay" && key != "bsp_max_export_batch_size":
		return fmt.Errorf("there is no such setting; there are url, resource, bsp_max_queue_size, bsp_schedule_delay and bsp_max_export_batch_size")
	case err != nil || n == 0:
		return fmt.Errorf("%q is not a number from 1 to %d", value, 1<<20-1)
	}
	switch key {
	case "bsp_max_queue_size":
		c.options.Queue = int(n)
	case "bsp_schedule_delay":
		c.options.Delay = time.Duration(n) * time.Millisecond
	case "bsp_max_export_batch_size":
		c.options.Batch = int(n)
	}
	return nil
}

// levelName returns the name of a trace level in capitals. Triton's flag has older names for some.
func levelName(value string) string {
	switch strings.ToUpper(value) {
	case "ON", "TRUE", "MIN", "MAX", "TIMESTAMPS":
		return "TIMESTAMPS"
	case "TENSORS":
		return "TENSORS"
	case "FALSE", "OFF":
		return "OFF"
	}
	return value
}
