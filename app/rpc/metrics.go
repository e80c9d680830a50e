package rpc

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/store"
)

type metricsService struct{ *Server }

// defaultPoints is about the number of pixels of a chart.
const defaultPoints = 600

// Query returns one series with everything the charts show.
func (s *metricsService) Query(ctx context.Context, r *connect.Request[api.QueryRequest]) (*connect.Response[api.QueryResponse], error) {
	from, to, err := s.ends(r.Msg.From, r.Msg.To)
	if err != nil {
		return nil, err
	}
	q := store.Query{
		Repository: s.Workspace.HistoryKey(), Model: r.Msg.Model, From: from, To: to,
		MaxPoints: int(r.Msg.MaxPoints), Step: time.Duration(r.Msg.StepMs) * time.Millisecond,
	}
	if q.MaxPoints == 0 {
		q.MaxPoints = defaultPoints
	}
	series, err := s.Store.Metrics(ctx, q)
	if err != nil {
		return nil, err
	}
	events, err := s.Store.Events(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &api.QueryResponse{StepMs: uint32(series.Step.Milliseconds()), Events: notices(events)}
	for _, g := range series.GPUs {
		out.Gpus = append(out.Gpus, &api.GpuSeries{Index: int32(g.Index), Uuid: g.UUID, Name: g.Name})
	}
	for _, p := range series.Points {
		appendPoint(out, p)
	}
	return connect.NewResponse(out), nil
}

func appendPoint(out *api.QueryResponse, p store.Point) {
	c := p.Counters
	out.Time = append(out.Time, float64(p.Time.UnixMilli())/1000)
	out.RequestsPerSecond = append(out.RequestsPerSecond, p.PerSecond(c.Requests+c.Failures))
	out.FailuresPerSecond = append(out.FailuresPerSecond, p.PerSecond(c.Failures))
	out.P50Ms = append(out.P50Ms, c.PercentileMs(0.50))
	out.P95Ms = append(out.P95Ms, c.PercentileMs(0.95))
	out.P99Ms = append(out.P99Ms, c.PercentileMs(0.99))
	out.QueueMs = append(out.QueueMs, mean(c.QueueNs, c.Requests))
	out.InputMs = append(out.InputMs, mean(c.InputNs, c.Requests))
	out.InferMs = append(out.InferMs, mean(c.InferNs, c.Requests))
	out.OutputMs = append(out.OutputMs, mean(c.OutputNs, c.Requests))
	out.SlowestMs = append(out.SlowestMs, c.PercentileMs(1))
	watched, measured := knownIn(p.Covered), knownIn(p.Measured)
	out.RateLow, out.RateHigh = append(out.RateLow, watched+p.Rate.Low), append(out.RateHigh, watched+p.Rate.High)
	out.CpuPercent = append(out.CpuPercent, measured+100*p.CPU.Seconds()/p.Measured.Seconds())
	out.MemoryBytes = append(out.MemoryBytes, measured+float64(p.Memory))
	out.CpuLow, out.CpuHigh = append(out.CpuLow, measured+100*p.CPUExtent.Low), append(out.CpuHigh, measured+100*p.CPUExtent.High)
	out.MemoryLow, out.MemoryHigh = append(out.MemoryLow, measured+p.MemoryExtent.Low), append(out.MemoryHigh, measured+p.MemoryExtent.High)
	for i, g := range p.GPUs {
		appendGPU(out.Gpus[i], g)
	}
}

func appendGPU(out *api.GpuSeries, p store.GPUPoint) {
	u, m, w, heat := p.Utilization, p.Used, p.Power, p.Temperature
	out.UtilizationPercent = append(out.UtilizationPercent, u.Or(100*u.Mean))
	out.UtilizationLow, out.UtilizationHigh = append(out.UtilizationLow, u.Or(100*u.Low)), append(out.UtilizationHigh, u.Or(100*u.High))
	out.UsedBytes = append(out.UsedBytes, m.Or(m.Mean))
	out.UsedLow, out.UsedHigh = append(out.UsedLow, m.Or(m.Low)), append(out.UsedHigh, m.Or(m.High))
	out.TotalBytes = append(out.TotalBytes, p.Total.Or(p.Total.Mean))
	out.PowerWatts = append(out.PowerWatts, w.Or(w.Mean))
	out.PowerLow, out.PowerHigh = append(out.PowerLow, w.Or(w.Low)), append(out.PowerHigh, w.Or(w.High))
	out.PowerLimit = append(out.PowerLimit, p.Limit.Or(p.Limit.Mean))
	out.EnergyJoules = append(out.EnergyJoules, p.Drawn.Sum())
	out.Temperature = append(out.Temperature, heat.Or(heat.Mean))
	out.TemperatureLow, out.TemperatureHigh = append(out.TemperatureLow, heat.Or(heat.Low)), append(out.TemperatureHigh, heat.Or(heat.High))
}

// knownIn returns what is added to figures of such a time: NaN makes them unknown where there was none.
func knownIn(length time.Duration) float64 {
	if length > 0 {
		return 0
	}
	return math.NaN()
}

// maxSummaryPoints limits a line of rates: more would be no small line.
const maxSummaryPoints = 500

// Summarize sums up what several models did in a range of time.
func (s *metricsService) Summarize(ctx context.Context, r *connect.Request[api.SummarizeRequest]) (*connect.Response[api.SummarizeResponse], error) {
	from, to, err := s.ends(r.Msg.From, r.Msg.To)
	if err != nil {
		return nil, err
	}
	removed, err := s.removed(ctx, r.Msg)
	if err != nil {
		return nil, err
	}
	sums, err := s.Store.Summaries(ctx, store.SummaryQuery{
		Repository: s.Workspace.HistoryKey(), Models: slices.Concat(r.Msg.Models, removed), From: from, To: to, Points: min(int(r.Msg.Points), maxSummaryPoints),
	})
	if err != nil {
		return nil, err
	}
	out := &api.SummarizeResponse{}
	for _, model := range slices.Sorted(maps.Keys(sums)) {
		if c := sums[model].Counters; c.Requests+c.Failures == 0 && slices.Contains(removed, model) && !slices.Contains(r.Msg.Models, model) {
			continue
		}
		out.Summaries = append(out.Summaries, summaryMessage(model, sums[model]))
	}
	return connect.NewResponse(out), nil
}

// removed lists the models of the history that are no longer in the repository, where they are asked for beside others.
func (s *metricsService) removed(ctx context.Context, q *api.SummarizeRequest) ([]string, error) {
	if !q.Removed || len(q.Models) == 0 {
		return nil, nil
	}
	list, err := s.Store.Models(ctx, s.Workspace.HistoryKey())
	return slices.DeleteFunc(list, func(model string) bool {
		_, here := s.Workspace.Model(model)
		return here
	}), err
}

func summaryMessage(model string, sum store.Summary) *api.MetricSummary {
	c := sum.Counters
	return &api.MetricSummary{
		Model: model, Requests: c.Requests + c.Failures, Failures: c.Failures, RequestsPerSecond: sum.PerSecond(c.Requests + c.Failures),
		P50Ms: c.PercentileMs(0.50), P95Ms: c.PercentileMs(0.95), P99Ms: c.PercentileMs(0.99),
		QueueMs: mean(c.QueueNs, c.Requests), InputMs: mean(c.InputNs, c.Requests),
		InferMs: mean(c.InferNs, c.Requests), OutputMs: mean(c.OutputNs, c.Requests),
		Rates: sum.Rates,
	}
}

// ends returns the ends of a range in Unix milliseconds. The end 0 includes the current second.
func (s *metricsService) ends(from, to int64) (time.Time, time.Time, error) {
	begin, end := time.UnixMilli(from), time.UnixMilli(to)
	if to == 0 {
		end = s.Now().Add(time.Second)
	}
	if !begin.Before(end) {
		return begin, end, invalid(fmt.Errorf("the range ends before it begins"))
	}
	return begin, end, nil
}

// mean returns the time for each request in milliseconds; NaN without requests.
func mean(ns, requests uint64) float64 {
	if requests == 0 {
		return math.NaN()
	}
	return float64(ns) / float64(requests) / 1e6
}

func notices(events []store.Event) []*api.Notice {
	out := make([]*api.Notice, 0, len(events))
	for _, e := range events {
		out = append(out, &api.Notice{Id: uint64(e.ID), Time: e.Time.UnixMilli(), Level: api.Notice_Level(e.Level), Model: e.Model, Text: e.Text})
	}
	return out
}
