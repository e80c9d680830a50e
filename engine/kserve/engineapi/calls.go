package engineapi

import (
	"context"
	"slices"
	"strings"

	"conch/engine/kserve/enginepb"
)

// ListCalls returns the models that a model's serving versions have called. Calls of several versions are added up.
func (s *Server) ListCalls(_ context.Context, r *enginepb.ListCallsRequest) (*enginepb.ListCallsResponse, error) {
	out, known := &enginepb.ListCallsResponse{}, map[string]*enginepb.Call{}
	for _, v := range s.engine.Manager().Versions(r.Model) {
		called, other := v.Called()
		out.Other += other
		for _, c := range called {
			sum := known[c.Model]
			if sum == nil {
				sum = &enginepb.Call{Model: calledName(c.Model)}
				known[c.Model] = sum
				out.Calls = append(out.Calls, sum)
			}
			sum.Running += c.Running
			sum.Count += c.Count
			sum.Failed += c.Failed
			if last := milliseconds(c.Last); last >= sum.LastMs {
				sum.LastMs, sum.NewestFailed = last, c.NewestFailed
				if c.Error != "" {
					sum.Error = strings.ToValidUTF8(c.Error, "\uFFFD")
				}
			}
		}
	}
	slices.SortFunc(out.Calls, func(a, b *enginepb.Call) int { return strings.Compare(a.Model, b.Model) })
	return out, nil
}

// calledName writes a name that a program has called so that a message can carry it.
func calledName(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }

func calledNames(names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, calledName(name))
	}
	return out
}
