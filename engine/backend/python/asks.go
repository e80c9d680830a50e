package python

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"conch/engine/backend"
	"conch/engine/backend/python/wire"
	"conch/engine/infer"
	"conch/engine/metrics/own"
)

// ask is the payload of wire.Ask and wire.Tell: what a model wants of the engine besides requests to models.
type ask struct {
	What string `json:"what"`

	// Control of other models.
	Name       string            `json:"name"` // also of a family
	Config     string            `json:"config"`
	Files      map[string]string `json:"files"` // in hexadecimal digits
	Imports    []imported        `json:"imports"`
	Dependents bool              `json:"dependents"`
	Version    string            `json:"version"`

	// Metrics. Families and metrics are numbers that asks returned.
	Kind        own.Kind          `json:"kind"`
	Description string            `json:"description"`
	Family      int               `json:"family"`
	Labels      map[string]string `json:"labels"`
	Buckets     []figure          `json:"buckets"` // of a histogram
	Metric      int               `json:"metric"`
	Change      string            `json:"change"`
	Value       figure            `json:"value"`
}

// figure is a number in JSON, which knows neither infinity nor NaN: those are texts.
type figure float64

// MarshalJSON writes the number.
func (n figure) MarshalJSON() ([]byte, error) {
	if value := float64(n); math.IsInf(value, 0) || math.IsNaN(value) {
		return []byte(strconv.Quote(fmt.Sprint(value))), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads it.
func (n *figure) UnmarshalJSON(text []byte) error {
	value, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	*n = figure(value)
	return err
}

// asks answers what one process asks.
type asks struct {
	spec backend.Spec

	mu       sync.Mutex // guards what follows
	last     int
	families map[int]*own.Family
	metrics  map[int]*own.Metric
}

// asked answers a question. What takes time runs beside the reading of the connection.
func (in *instance) asked(p *process, number uint64, payload []byte) error {
	var q ask
	if err := json.Unmarshal(payload, &q); err != nil {
		return wire.ErrBroken
	}
	switch q.What {
	case "load", "unload", "ready":
		of := in.doing()
		return p.beside(func() {
			ctx, cancel := p.context(context.WithoutCancel(of))
			defer cancel()
			value, err := in.asks.control(ctx, &q)
			p.answer(number, value, err)
		})
	default:
		value, err := in.asks.measure(&q)
		return p.beside(func() { p.answer(number, value, err) })
	}
}

// mostAsked is how many questions and calls of a process may wait for their answers, or for the process to read them.
const mostAsked = 10_000

var errUnread = fmt.Errorf("the model has asked more than %d times without reading an answer", mostAsked)

// beside answers what a process asks, beside the reading of its connection.
func (p *process) beside(answer func()) error {
	if p.asked.Add(1) > mostAsked {
		return errUnread
	}
	go func() {
		defer p.asked.Add(-1)
		answer()
	}()
	return nil
}

// doing returns the context of what the instance does: that of NewInstance or of its execution.
func (in *instance) doing() context.Context {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch {
	case in.making != nil:
		return in.making
	case in.line.current() != nil:
		return in.line.current().ctx
	}
	return context.Background()
}

// told takes what needs no answer.
func (in *instance) told(payload []byte) error {
	var q ask
	if err := json.Unmarshal(payload, &q); err != nil {
		return wire.ErrBroken
	}
	if q.What == "imported" {
		passImports(in.model.spec, q.Imports)
		return nil
	}
	if _, err := in.asks.measure(&q); err != nil {
		in.model.spec.Log.Warn("a metric of the model", "instance", in.name, "error", err)
	}
	return nil
}

// answer sends the result of a question.
func (p *process) answer(number uint64, value any, err error) {
	result := map[string]any{"value": value}
	if err != nil {
		result = map[string]any{"error": err.Error()}
	}
	text, err := json.Marshal(result)
	if err != nil {
		text = []byte(`{"error":` + strconv.Quote(err.Error()) + `}`)
	}
	_ = p.send(wire.Finish(append(wire.Begin(nil, wire.Result, number), text...)))
}

// control loads and unloads models. A load ends with the process that asks for it.
func (a *asks) control(ctx context.Context, q *ask) (any, error) {
	server := a.spec.Server
	if server == nil {
		return nil, fmt.Errorf("this server does not control models")
	}
	switch q.What {
	case "unload":
		return nil, server.UnloadModel(q.Name, q.Dependents)
	case "ready":
		version := infer.Latest
		if q.Version != "" {
			number, err := strconv.ParseInt(q.Version, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("'%s' is no version", q.Version)
			}
			version = number
		}
		return server.ModelReady(ctx, q.Name, version), nil
	}
	files := map[string][]byte{}
	for name, digits := range q.Files {
		content, err := hex.DecodeString(digits)
		if err != nil {
			return nil, err
		}
		files[strings.TrimPrefix(name, "file:")] = content
	}
	return nil, server.LoadModel(ctx, q.Name, q.Config, files)
}

// measure makes, changes and reads metrics.
func (a *asks) measure(q *ask) (any, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.spec.Metrics == nil {
		return nil, fmt.Errorf("this server keeps no metrics of models")
	}
	switch q.What {
	case "family":
		f, err := a.spec.Metrics.Family(q.Kind, q.Name, q.Description)
		if err != nil {
			return nil, err
		}
		a.last++
		a.families[a.last] = f
		return a.last, nil
	case "drop_family":
		if f := a.families[q.Family]; f != nil {
			f.Close()
			delete(a.families, q.Family)
		}
		return nil, nil
	case "metric":
		f := a.families[q.Family]
		if f == nil {
			return nil, fmt.Errorf("there is no metric family %d", q.Family)
		}
		bounds := make([]float64, len(q.Buckets))
		for i, bound := range q.Buckets {
			bounds[i] = float64(bound)
		}
		m, err := f.Metric(q.Labels, bounds)
		if err != nil {
			return nil, err
		}
		a.last++
		a.metrics[a.last] = m
		return a.last, nil
	}
	return a.metric(q)
}

// metric does something with one metric. The caller holds a.mu.
func (a *asks) metric(q *ask) (any, error) {
	m := a.metrics[q.Metric]
	if m == nil {
		return nil, fmt.Errorf("there is no metric %d", q.Metric)
	}
	switch q.What + " " + q.Change {
	case "drop_metric ":
		m.Close()
		delete(a.metrics, q.Metric)
		return nil, nil
	case "value ":
		value, err := m.Value()
		return figure(value), err
	case "change increment":
		return nil, m.Add(float64(q.Value))
	case "change set":
		return nil, m.Set(float64(q.Value))
	case "change observe":
		return nil, m.Observe(float64(q.Value))
	}
	return nil, fmt.Errorf("the engine does not know what '%s %s' is", q.What, q.Change)
}

// close gives up the metrics of a process that has ended.
func (a *asks) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range a.metrics {
		m.Close()
	}
	for _, f := range a.families {
		f.Close()
	}
	clear(a.metrics)
	clear(a.families)
}
