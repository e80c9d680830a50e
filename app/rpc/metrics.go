package rpc

import (
	"context"
	"fmt"
	"math"
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
	q := store.Query{
		Repository: s.Workspace.Key(),
		Model:      r.Msg.Model,
		From:       time.UnixMilli(r.Msg.From),
		To:         time.UnixMilli(r.Msg.To),
		MaxPoints:  int(r.Msg.MaxPoints),
		Step:       time.Duration(r.Msg.StepMs) * time.Millisecond,
	}
	if q.MaxPoints == 0 {
		q.MaxPoints = defaultPoints
	}
	if r.Msg.To == 0 {
		q.To = s.Now().Add(time.Second) // includes the current second
	}
	if !q.From.Before(q.To) {
		return nil, invalid(fmt.Errorf("the range ends before it begins"))
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
	out.P50Ms = append(out.P50Ms, c.Latency.Percentile(0.50)/1e6)
	out.P95Ms = append(out.P95Ms, c.Latency.Percentile(0.95)/1e6)
	out.P99Ms = append(out.P99Ms, c.Latency.Percentile(0.99)/1e6)
	out.QueueMs = append(out.QueueMs, mean(c.QueueNs, c.Requests))
	out.InputMs = append(out.InputMs, mean(c.InputNs, c.Requests))
	out.InferMs = append(out.InferMs, mean(c.InferNs, c.Requests))
	out.OutputMs = append(out.OutputMs, mean(c.OutputNs, c.Requests))
	if p.Covered <= 0 {
		out.CpuPercent = append(out.CpuPercent, math.NaN())
		out.MemoryBytes = append(out.MemoryBytes, math.NaN())
		return
	}
	out.CpuPercent = append(out.CpuPercent, 100*p.CPU.Seconds()/p.Covered.Seconds())
	out.MemoryBytes = append(out.MemoryBytes, float64(p.Memory))
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
