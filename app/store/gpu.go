package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// GPU names a GPU.
type GPU struct {
	Index int // as the engine counts them
	UUID  string
	Name  string
}

// GPUSample is what a GPU told at the end of a sample's time; NaN stands for what it did not tell.
type GPUSample struct {
	GPU
	Utilization float64 // 0 to 1
	Used, Total float64 // bytes
	Power       float64 // watts
	Temperature float64 // degrees Celsius
	Limit       float64 // watts that it may draw
	Energy      float64 // joules in the sample's time
}

// GPUPoint is what a GPU did in an interval. Drawn is what it drew by its count of energy, in watts.
type GPUPoint struct{ Utilization, Used, Total, Power, Temperature, Limit, Drawn Gauge }

// Gauge is a figure that is read again and again: its mean and its extent over the time in which it was known.
type Gauge struct {
	Mean float64
	Extent
	known int64 // milliseconds
}

// Or returns a value of the gauge, or NaN where the gauge was not known.
func (g Gauge) Or(value float64) float64 {
	if g.known == 0 {
		return math.NaN()
	}
	return value
}

// Sum is what a gauge of something per second came to.
func (g Gauge) Sum() float64 { return g.Or(g.Mean * float64(g.known) / 1000) }

func (g Gauge) join(o Gauge) Gauge {
	switch {
	case g.known == 0:
		return o
	case o.known == 0:
		return g
	}
	known := g.known + o.known
	mean := (g.Mean*float64(g.known) + o.Mean*float64(o.known)) / float64(known)
	return Gauge{mean, g.Extent.join(o.Extent), known}
}

func (p GPUPoint) join(o GPUPoint) GPUPoint {
	for i, g := range p.gauges() {
		*g = g.join(*o.gauges()[i])
	}
	return p
}

// gauges are those of a point, in the order in which they are stored.
func (p *GPUPoint) gauges() [7]*Gauge {
	return [...]*Gauge{&p.Utilization, &p.Used, &p.Total, &p.Power, &p.Temperature, &p.Limit, &p.Drawn}
}

// point is a sample that covers some time.
func (s GPUSample) point(covered time.Duration) *GPUPoint {
	read := func(n float64) Gauge {
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return Gauge{}
		}
		return Gauge{n, Extent{n, n}, covered.Milliseconds()}
	}
	return &GPUPoint{
		read(s.Utilization), read(s.Used), read(s.Total), read(s.Power), read(s.Temperature), read(s.Limit), read(s.Energy / covered.Seconds()),
	}
}

// joinGPU joins the points of two rows; nil is that of a row of another series.
func joinGPU(a, b *GPUPoint) *GPUPoint {
	if a == nil || b == nil {
		return a
	}
	both := a.join(*b)
	return &both
}

// A stored gauge begins with its known time, twice, and 1 more where its extent follows its mean. Nothing follows a time of 0.
func encodeGPU(p *GPUPoint) (out []byte) {
	if p == nil {
		return nil
	}
	for _, g := range p.gauges() {
		known, values := uint64(g.known)<<1, []float64{g.Mean}
		switch {
		case g.known == 0:
			values = nil
		case g.Low != g.Mean || g.High != g.Mean:
			known, values = known|1, []float64{g.Mean, g.Low, g.High}
		}
		out = binary.AppendUvarint(out, known)
		for _, v := range values {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out
}

// oldGauges is how many gauges the rows of the oldest version have. Those of older versions end there, or behind a later one.
const oldGauges = 4

var errBadGPU = errors.New("read what a GPU did: the row is cut off")

func decodeGPU(blob []byte) (*GPUPoint, error) {
	if blob == nil {
		return nil, nil
	}
	p := &GPUPoint{}
	for i, g := range p.gauges() {
		if i >= oldGauges && len(blob) == 0 {
			break
		}
		known, n := binary.Uvarint(blob)
		if n <= 0 {
			return nil, errBadGPU
		}
		blob = blob[n:]
		if g.known = int64(known >> 1); g.known == 0 {
			continue
		}
		values := [3]float64{}
		count := int(1 + known&1*2)
		if len(blob) < 8*count {
			return nil, errBadGPU
		}
		for i := range count {
			values[i] = math.Float64frombits(binary.LittleEndian.Uint64(blob[8*i:]))
		}
		blob = blob[8*count:]
		if g.Mean, g.Extent = values[0], (Extent{values[0], values[0]}); count == 3 {
			g.Extent = Extent{values[1], values[2]}
		}
	}
	return p, nil
}

// gpuSeries begins the model of the series of a GPU: no model has a slash in its name.
const gpuSeries = "/gpu/"

func (g GPU) key(repository string) seriesKey { return seriesKey{repository, gpuSeries + g.UUID} }

// insertGPUs writes what the GPUs did in the time of a sample.
func (s *Store) insertGPUs(ctx context.Context, tx *sql.Tx, sample Sample) error {
	for _, g := range sample.GPUs {
		key := g.key(sample.Repository)
		r := row{time: sample.Time.Unix(), coveredMs: sample.Covered.Milliseconds(), gpu: g.point(sample.Covered)}
		if err := s.insertCounters(ctx, tx, key, r); err != nil {
			return err
		}
		series, kept := s.series[key]
		if !kept || s.gpus[key] == g.GPU {
			continue
		}
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO gpu (series, number, name) VALUES (?, ?, ?)`, series, g.Index, g.Name)
		if err != nil {
			return fmt.Errorf("write which GPUs there are: %w", err)
		}
		s.gpus[key] = g.GPU
	}
	return nil
}

// gpuRows are the rows of one GPU.
type gpuRows struct {
	gpu  GPU
	rows []row
}

// ofGPUs reads the rows of the GPUs that told something in a span, by their numbers.
func (s *Store) ofGPUs(ctx context.Context, repository string, at span) ([]gpuRows, error) {
	var known, list []gpuRows
	err := s.query(ctx, `SELECT s.model, g.number, g.name FROM gpu g JOIN series s ON s.id = g.series
		WHERE s.repository = ? ORDER BY g.number, s.model`, []any{repository}, func(rows *sql.Rows) error {
		var g GPU
		err := rows.Scan(&g.UUID, &g.Index, &g.Name)
		g.UUID = strings.TrimPrefix(g.UUID, gpuSeries)
		known = append(known, gpuRows{gpu: g})
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, g := range known {
		if g.rows, err = s.rows(ctx, g.gpu.key(repository), at); err != nil {
			return nil, err
		}
		if len(g.rows) > 0 {
			list = append(list, g)
		}
	}
	return list, nil
}
