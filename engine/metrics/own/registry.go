// Package own holds metrics that models define themselves: families of counters, gauges and histograms, as Triton's custom
// metrics. A family or metric that several holders define alike is one; it is gone when the last holder closes it. All
// functions may be called at the same time.
package own

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Kind is the kind of a family.
type Kind string

// The kinds.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram"
)

// reserved begins the names of the server's own metrics. Those that begin with languageModels are defined by a backend in
// Triton too.
const (
	reserved       = "nv_"
	languageModels = "nv_trt_llm_"
)

var (
	goodName  = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)
	goodLabel = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
)

// Registry holds the families. The zero value is ready to use.
type Registry struct {
	mu       sync.Mutex // guards everything below
	families map[string]*family
}

type family struct {
	kind        Kind
	description string
	holders     int
	metrics     map[string]*metric
}

type metric struct {
	labels  map[string]string
	holders int
	value   float64
	bounds  []float64 // of a histogram
	counts  []uint64  // below each bound, without those below the bound before
	count   uint64
}

// Family is one holder's part of a family.
type Family struct {
	of     *Registry
	name   string
	closed bool
}

// Metric is one holder's part of a metric.
type Metric struct {
	of     *Registry
	family string
	key    string
	closed bool
}

// Family returns a family, which is made where there is none of the name.
func (r *Registry) Family(kind Kind, name, description string) (*Family, error) {
	switch {
	case kind != Counter && kind != Gauge && kind != Histogram:
		return nil, fmt.Errorf("there is no kind of metric '%s'", kind)
	case !goodName.MatchString(name):
		return nil, fmt.Errorf("'%s' is no name of a metric: it may have letters, digits, _ and :, and begins with no digit", name)
	case strings.HasPrefix(name, reserved) && !strings.HasPrefix(name, languageModels):
		return nil, fmt.Errorf("the name '%s' begins with '%s', as the server's own metrics do", name, reserved)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.families[name]
	if f == nil {
		f = &family{kind: kind, description: description, metrics: map[string]*metric{}}
		if r.families == nil {
			r.families = map[string]*family{}
		}
		r.families[name] = f
	}
	if f.kind != kind {
		return nil, fmt.Errorf("the metric family '%s' is a %s already, and cannot be a %s", name, f.kind, kind)
	}
	f.holders++
	return &Family{of: r, name: name}, nil
}

// Close gives the family up. Its metrics stay until they are closed.
func (f *Family) Close() {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	if !f.closed {
		f.closed = true
		f.of.families[f.name].holders--
		f.of.clean(f.name)
	}
}

func (r *Registry) clean(name string) {
	if f := r.families[name]; f.holders == 0 && len(f.metrics) == 0 {
		delete(r.families, name)
	}
}

// Metric returns a metric of the family, which is made where there is none with the labels. bounds are for a histogram: the
// upper ends of its buckets, in ascending order.
func (f *Family) Metric(labels map[string]string, bounds []float64) (*Metric, error) {
	for name := range labels {
		if !goodLabel.MatchString(name) || strings.HasPrefix(name, "__") || name == "le" {
			return nil, fmt.Errorf("invalid label name '%s'", name)
		}
	}
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	in := f.of.families[f.name]
	if f.closed || in == nil {
		return nil, fmt.Errorf("the metric family '%s' has been closed", f.name)
	}
	if in.kind == Histogram && !slices.IsSorted(bounds) {
		return nil, fmt.Errorf("a histogram needs buckets in ascending order, and '%s' has %v", f.name, bounds)
	}
	key := keyOf(labels)
	m := in.metrics[key]
	if m == nil {
		m = &metric{labels: maps.Clone(labels)}
		if in.kind == Histogram {
			m.bounds, m.counts = slices.Clone(bounds), make([]uint64, len(bounds))
		}
		in.metrics[key] = m
	}
	m.holders++
	return &Metric{of: f.of, family: f.name, key: key}, nil
}

// keyOf is the same for the same labels.
func keyOf(labels map[string]string) string {
	var key strings.Builder
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		fmt.Fprintf(&key, "%q=%q,", name, labels[name])
	}
	return key.String()
}

// change runs f on the metric, unless it is closed.
func (m *Metric) change(f func(kind Kind, m *metric) error) error {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	if m.closed {
		return fmt.Errorf("the metric of '%s' has been closed", m.family)
	}
	in := m.of.families[m.family]
	return f(in.kind, in.metrics[m.key])
}

// Add adds to a counter or a gauge.
func (m *Metric) Add(by float64) error {
	return m.change(func(kind Kind, m *metric) error {
		if kind == Histogram || kind == Counter && by < 0 {
			return fmt.Errorf("%v cannot be added to a %s", by, kind)
		}
		m.value += by
		return nil
	})
}

// Set sets a gauge.
func (m *Metric) Set(value float64) error {
	return m.change(func(kind Kind, m *metric) error {
		if kind != Gauge {
			return fmt.Errorf("a %s cannot be set", kind)
		}
		m.value = value
		return nil
	})
}

// Observe counts a value in a histogram.
func (m *Metric) Observe(value float64) error {
	return m.change(func(kind Kind, m *metric) error {
		if kind != Histogram {
			return fmt.Errorf("a %s observes nothing", kind)
		}
		if i := slices.IndexFunc(m.bounds, func(bound float64) bool { return value <= bound }); i >= 0 {
			m.counts[i]++
		}
		m.count++
		m.value += value
		return nil
	})
}

// Value returns the value of a counter or a gauge.
func (m *Metric) Value() (value float64, err error) {
	err = m.change(func(kind Kind, m *metric) error {
		if kind == Histogram {
			return fmt.Errorf("a %s has no single value", kind)
		}
		value = m.value
		return nil
	})
	return value, err
}

// Close gives the metric up.
func (m *Metric) Close() {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	if m.closed {
		return
	}
	m.closed = true
	in := m.of.families[m.family]
	if in.metrics[m.key].holders--; in.metrics[m.key].holders == 0 {
		delete(in.metrics, m.key)
		m.of.clean(m.family)
	}
}
