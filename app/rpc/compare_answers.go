package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/grpc/metadata"

	"conch/app/api"
	"conch/app/apimessage"
	"conch/engine/agreement"
	"conch/engine/kserve/kservepb"
)

const (
	usualRuns = 30
	mostRuns  = 500
	// longestComparison bounds the runs that are there for the times alone.
	longestComparison = 5 * time.Second
	// fewestForQuarters is how many runs have a usual time: fewer have no quarters.
	fewestForQuarters = 4
)

// CompareAnswers sends a request to two models, versions or providers in turn, while nothing else is measured. An error of one of them is part of the
// answer.
func (s *tryService) CompareAnswers(
	ctx context.Context, r *connect.Request[api.CompareAnswersRequest], stream *connect.ServerStream[api.CompareAnswersResponse],
) error {
	first := r.Msg.Request
	if first == nil || first.Model == "" || r.Msg.Model == "" && r.Msg.Provider == "" {
		return invalid(errors.New("name a request, and a second model or a provider"))
	}
	step := func(text string) error { return stream.Send(&api.CompareAnswersResponse{Step: text}) }
	next, err := s.conversions.Alone(ctx, step)
	if err != nil {
		return err
	}
	defer next()
	out, err := s.compareAnswers(ctx, r.Msg, step)
	if err != nil {
		return err
	}
	return stream.Send(out)
}

func (s *tryService) compareAnswers(
	ctx context.Context, r *api.CompareAnswersRequest, step func(string) error,
) (*api.CompareAnswersResponse, error) {
	held, err := s.asks()
	if err != nil {
		return nil, err
	}
	defer held.Release()
	sides := [2]*comparedSide{{client: held.Client}, {client: held.Client}}
	first, second := r.Request, &api.InferRequest{
		Model: r.Model, Version: r.Version, Inputs: r.Request.Inputs, Outputs: r.Request.Outputs, Id: r.Request.Id, Parameters: r.Request.Parameters,
	}
	if r.Provider != "" {
		t, order, err := s.startTrial(ctx, held.Key, r, step)
		if err != nil {
			return nil, err
		}
		defer s.closeTrial(t)
		if sides[1].client, err = t.Client(); err != nil {
			return nil, err
		}
		second.Model, second.Version = first.Model, order.Version
		sides[1].runsOn = "ONNX Runtime on " + order.Provider.Label
	}
	for i, target := range []*api.InferRequest{first, second} {
		if sides[i].request, err = inferRequest(target); err != nil {
			return nil, invalid(err)
		}
		if isDecoupled(ctx, held.Client, sides[i].request) {
			return nil, invalid(fmt.Errorf("%s may answer any number of times, and only models with one answer are compared", target.Model))
		}
	}
	if err := step("sending the request to both in turn"); err != nil {
		return nil, err
	}
	runs := compareRuns(ctx, sides, min(cmp.Or(int(r.Runs), usualRuns), mostRuns))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	out := &api.CompareAnswersResponse{First: s.side(sides[0]), Second: s.side(sides[1]), Runs: uint32(runs)}
	if out.First.Error == "" && out.Second.Error == "" {
		out.Outputs = agreements(sides[0].answer, sides[1].answer)
	}
	return out, nil
}

// comparedSide is one of the two models.
type comparedSide struct {
	client  kservepb.GRPCInferenceServiceClient
	runsOn  string // "" where the workspace knows
	request *kservepb.ModelInferRequest
	answer  *api.InferResponse // the first one
	err     error
	took    []uint64
}

// ask sends the request once. The time is that in the engine, else the whole way.
func (c *comparedSide) ask(ctx context.Context) {
	begun := time.Now()
	ctx = metadata.AppendToOutgoingContext(ctx, traceKey, traceTimes, trialKey, trialYes)
	out, trailer, err := once(ctx, c.client, c.request)
	took := uint64(time.Since(begun))
	if c.answer == nil || err != nil {
		c.answer, c.err = out, err
	}
	addTrace(out, trailer, begun)
	c.took = append(c.took, cmp.Or(out.Timings.TotalNs, took))
}

// compareRuns sends the request to both in turn, so that a busy machine disturbs both, and returns how many runs count for the times. The
// first run of each makes room, and on a GPU the programs that it runs, which takes seconds: it does not count.
func compareRuns(ctx context.Context, sides [2]*comparedSide, runs int) int {
	var end time.Time
	for n := 0; n <= runs; n++ {
		for _, side := range sides {
			side.ask(ctx)
			if side.err != nil {
				return n
			}
		}
		switch now := time.Now(); {
		case ctx.Err() != nil:
			return n
		case n == 0:
			end = now.Add(longestComparison)
		case now.After(end):
			return n
		}
	}
	return runs
}

// times returns the median time and the quartiles in milliseconds, without the first run. The quartiles of too few runs are 0.
func (c *comparedSide) times() (low, median, high float64) {
	took := slices.Sorted(slices.Values(c.took[min(1, len(c.took)-1):])) // the first one is alone when the other side failed then
	at := func(i int) float64 { return float64(took[i]) / float64(time.Millisecond) }
	if len(took) < fewestForQuarters {
		return 0, at(len(took) / 2), 0
	}
	last := len(took) - 1
	return at(last / 4), at(len(took) / 2), at(last - last/4)
}

// side describes one of both.
func (s *tryService) side(c *comparedSide) *api.AnswerSide {
	out := &api.AnswerSide{Model: c.request.ModelName, Version: c.request.ModelVersion, RunsOn: c.runsOn}
	if m, known := s.Workspace.Model(out.Model); known && out.RunsOn == "" {
		out.RunsOn = runsOn(m)
	}
	if c.answer == nil {
		return out // the other one failed first
	}
	if c.err != nil {
		answer := &api.InferResponse{}
		failed(answer, c.err)
		out.Error = answer.Error
		return out
	}
	out.Version = cmp.Or(c.answer.ModelVersion, out.Version)
	out.LowMs, out.MedianMs, out.HighMs = c.times()
	return out
}

// runsOn says what runs a model, and where.
func runsOn(m *api.ModelSummary) string {
	switch {
	case m.Device == "":
		return m.Runtime
	case m.Runtime == "":
		return "on " + m.Device
	}
	return m.Runtime + " on " + m.Device
}

// agreements compares the outputs of two answers by their names.
func agreements(first, second *api.InferResponse) (list []*api.OutputAgreement) {
	for _, a := range first.Outputs {
		entry := &api.OutputAgreement{Trouble: "the second model does not answer it"}
		if i := slices.IndexFunc(second.Outputs, func(o *api.OutputTensor) bool { return o.Name == a.Name }); i >= 0 {
			d, err := agreement.Compare(asTensor(a), asTensor(second.Outputs[i]))
			entry = apimessage.Agreement(d)
			if err != nil {
				entry = &api.OutputAgreement{Trouble: err.Error()}
			}
		}
		entry.Name, entry.Datatype = a.Name, a.Datatype
		list = append(list, entry)
	}
	return list
}

func asTensor(o *api.OutputTensor) agreement.Tensor {
	return agreement.Tensor{Datatype: o.Datatype, Shape: o.Shape, Raw: o.Raw}
}
