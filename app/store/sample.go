package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"conch/engine/histogram"
)

// Sample is what happened since the sample before it.
type Sample struct {
	Repository string
	Time       time.Time     // the end of the covered time
	Covered    time.Duration // the length of the covered time
	CPU        time.Duration // processor time that the engine used in it
	Memory     uint64        // bytes, resident; 0 where processor and memory are not known
	Models     map[string]Counters
	GPUs       []GPUSample
	// Clients are the requests that clients sent to the models. Models also has those that ensembles
	// and other models made.
	Clients Counters
}

// Counters are sums over an interval, with the meaning of the engine's Sample.
type Counters struct {
	Requests   uint64
	Failures   uint64
	Inferences uint64
	Executions uint64
	RequestNs  uint64
	QueueNs    uint64
	InputNs    uint64
	InferNs    uint64
	OutputNs   uint64
	Latency    histogram.Counts
}

// IsZero reports whether nothing happened.
func (c Counters) IsZero() bool { return c.Requests == 0 && c.Failures == 0 && c.Executions == 0 }

// PercentileMs is a percentile of the time of requests, in milliseconds. It is NaN without requests.
func (c Counters) PercentileMs(q float64) float64 {
	if n := c.Latency.Total(); n > 0 && n == c.Requests {
		return c.Latency.PercentileAround(float64(c.RequestNs)/float64(n), q) / 1e6
	}
	return c.Latency.Percentile(q) / 1e6
}

// Plus adds another interval's counters.
func (c Counters) Plus(o Counters) Counters {
	return Counters{
		Requests:   c.Requests + o.Requests,
		Failures:   c.Failures + o.Failures,
		Inferences: c.Inferences + o.Inferences,
		Executions: c.Executions + o.Executions,
		RequestNs:  c.RequestNs + o.RequestNs,
		QueueNs:    c.QueueNs + o.QueueNs,
		InputNs:    c.InputNs + o.InputNs,
		InferNs:    c.InferNs + o.InferNs,
		OutputNs:   c.OutputNs + o.OutputNs,
		Latency:    c.Latency.Merge(o.Latency),
	}
}

// AddSample queues a sample for the next write.
func (s *Store) AddSample(sample Sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.samples = append(s.queue.samples, sample)
	s.trim()
}

type seriesKey struct{ repository, model string }

// row is one row of the metric table.
type row struct {
	step, series, time int64
	coveredMs          int64
	cpuMs              float64
	memory             int64
	counters           Counters
	spread             extents   // noExtents in rows of the finest step
	gpu                *GPUPoint // nil in rows of other series
}

// merge joins two rows of one series into the bucket of the first.
func (r row) merge(o row) row {
	r.spread = r.extents().join(o.extents())
	covered := r.coveredMs + o.coveredMs
	if covered > 0 {
		r.memory = int64((float64(r.memory)*float64(r.coveredMs) + float64(o.memory)*float64(o.coveredMs)) / float64(covered))
	}
	r.coveredMs = covered
	r.cpuMs += o.cpuMs
	r.counters = r.counters.Plus(o.counters)
	r.gpu = joinGPU(r.gpu, o.gpu)
	return r
}

// insertSamples writes the queued samples.
func (s *Store) insertSamples(ctx context.Context, tx *sql.Tx, samples []Sample) error {
	for _, sample := range samples {
		if err := s.insertSample(ctx, tx, sample); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) insertSample(ctx context.Context, tx *sql.Tx, sample Sample) error {
	for model, c := range sample.Models {
		if c.IsZero() {
			continue // a missing row beside the repository's row means that nothing happened
		}
		if err := s.insertCounters(ctx, tx, seriesKey{sample.Repository, model}, row{time: sample.Time.Unix(), coveredMs: sample.Covered.Milliseconds(), counters: c}); err != nil {
			return err
		}
	}
	if err := s.insertGPUs(ctx, tx, sample); err != nil {
		return err
	}
	return s.insertCounters(ctx, tx, seriesKey{sample.Repository, ""}, row{
		time:      sample.Time.Unix(),
		coveredMs: sample.Covered.Milliseconds(),
		cpuMs:     float64(sample.CPU) / float64(time.Millisecond),
		memory:    int64(sample.Memory),
		counters:  sample.Clients,
	})
}

// insertCounters writes a row of one second. It merges with a row that is there: two samples may be in
// one second. A series for which there is no room has no rows.
func (s *Store) insertCounters(ctx context.Context, tx *sql.Tx, key seriesKey, r row) error {
	if kept, err := s.hasRoom(ctx, tx, key); err != nil || !kept {
		return err
	}
	id, err := s.seriesID(ctx, tx, key)
	if err != nil {
		return err
	}
	r.step, r.series, r.spread = stepFine, id, noExtents
	there, err := selectRows(ctx, tx, `m.step = ? AND m.series = ? AND m.time = ?`, r.step, r.series, r.time)
	if err != nil {
		return err
	}
	for _, old := range there {
		r = r.merge(old)
		r.spread = noExtents
	}
	return putRow(ctx, tx, r)
}

func (s *Store) seriesID(ctx context.Context, tx *sql.Tx, key seriesKey) (int64, error) {
	if id, ok := s.series[key]; ok {
		return id, nil
	}
	var id int64
	err := tx.QueryRowContext(ctx, `INSERT INTO series (repository, model) VALUES (?, ?)
		ON CONFLICT DO UPDATE SET model = excluded.model RETURNING id`, key.repository, key.model).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("find series of %q: %w", key.model, err)
	}
	s.series[key] = id
	return id, nil
}

const rowColumns = `m.step, m.series, m.time, m.covered_ms, m.cpu_ms, m.memory, m.requests, m.failures, m.inferences,
	m.executions, m.request_ns, m.queue_ns, m.input_ns, m.infer_ns, m.output_ns, m.latency,
	m.rate_low, m.rate_high, m.cpu_low, m.cpu_high, m.memory_low, m.memory_high, m.gpu`

func putRow(ctx context.Context, tx *sql.Tx, r row) error {
	c, e := r.counters, r.spread
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO metric (step, series, time, covered_ms, cpu_ms, memory,
		requests, failures, inferences, executions, request_ns, queue_ns, input_ns, infer_ns, output_ns, latency,
		rate_low, rate_high, cpu_low, cpu_high, memory_low, memory_high, gpu)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		r.step, r.series, r.time, r.coveredMs, r.cpuMs, r.memory, int64(c.Requests), int64(c.Failures),
		int64(c.Inferences), int64(c.Executions), int64(c.RequestNs), int64(c.QueueNs), int64(c.InputNs),
		int64(c.InferNs), int64(c.OutputNs), encodeHistogram(c.Latency),
		e.rate.Low, e.rate.High, e.cpu.Low, e.cpu.High, e.memory.Low, e.memory.High, encodeGPU(r.gpu))
	if err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	return nil
}

func selectRows(ctx context.Context, q queryer, where string, args ...any) ([]row, error) {
	var list []row
	st := statement{`SELECT ` + rowColumns + ` FROM metric m WHERE ` + where + ` ORDER BY m.time`, args}
	err := eachRow(ctx, q, st, func(rows *sql.Rows) error {
		r, err := scanRow(rows)
		list = append(list, r)
		return err
	})
	return list, err
}

// scanRow reads a row of rowColumns, after the columns in front of them.
func scanRow(rows *sql.Rows, front ...any) (row, error) {
	var r row
	var latency, gpu []byte
	c, e := &r.counters, &r.spread
	err := rows.Scan(append(front, &r.step, &r.series, &r.time, &r.coveredMs, &r.cpuMs, &r.memory, &c.Requests, &c.Failures,
		&c.Inferences, &c.Executions, &c.RequestNs, &c.QueueNs, &c.InputNs, &c.InferNs, &c.OutputNs, &latency,
		&e.rate.Low, &e.rate.High, &e.cpu.Low, &e.cpu.High, &e.memory.Low, &e.memory.High, &gpu)...)
	if err != nil {
		return r, fmt.Errorf("read metrics: %w", err)
	}
	if c.Latency, err = decodeHistogram(latency); err != nil {
		return r, err
	}
	r.gpu, err = decodeGPU(gpu)
	return r, err
}
