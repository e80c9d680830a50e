package sched_test

import (
	"context"
	"fmt"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// instant are models that take no time. Each has its own scheduler and returns its input.
type instant struct {
	config  *modelconfig.ModelConfig
	handler infer.Handler
}

func newInstant() *instant {
	return &instant{
		config: &modelconfig.ModelConfig{
			Name: "m", MaxBatchSize: 4, InstanceGroup: []*modelconfig.ModelInstanceGroup{{Count: 4}},
			Input: []*modelconfig.ModelInput{{Name: "i", Dims: []int64{16}}}, Output: []*modelconfig.ModelOutput{{Name: "o", Dims: []int64{16}}},
		},
		handler: sched.NewDirect([]sched.Executor{copier{}, copier{}, copier{}, copier{}}, &gauge{}),
	}
}

func (p *instant) Enter(model string, version int64) (infer.Target, error) {
	config, err := p.Config(model, version)
	return infer.Target{Config: config, Version: p}, err
}

func (p *instant) Leave() {}

func (p *instant) Config(string, int64) (*modelconfig.ModelConfig, error) { return p.config, nil }

func (p *instant) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	r.Batch = 1
	return p.handler.Infer(ctx, r, sink)
}

// copier answers with the request's own tensor.
type copier struct{}

func (copier) Execute(_ context.Context, calls []*sched.Call) {
	for _, c := range calls {
		out := c.Request.Inputs[0]
		out.Name = "o"
		c.Respond(&infer.Response{Outputs: []tensor.Tensor{out}, Final: true})
	}
}

// chainOf returns an ensemble of n steps in a row.
func chainOf(steps int) *modelconfig.ModelConfig {
	flow := &modelconfig.ModelEnsembling{}
	for i := range steps {
		flow.Step = append(flow.Step, &modelconfig.ModelEnsembling_Step{
			ModelName: "m", ModelVersion: -1, InputMap: map[string]string{"i": fmt.Sprint("t", i)}, OutputMap: map[string]string{"o": fmt.Sprint("t", i+1)},
		})
	}
	return &modelconfig.ModelConfig{
		Name: "e", MaxBatchSize: 4,
		Input:            []*modelconfig.ModelInput{{Name: "t0", Dims: []int64{16}}},
		Output:           []*modelconfig.ModelOutput{{Name: fmt.Sprint("t", steps), Dims: []int64{16}}},
		SchedulingChoice: &modelconfig.ModelConfig_EnsembleScheduling{EnsembleScheduling: flow},
	}
}

// starOf returns an ensemble of n parallel steps.
func starOf(steps int) *modelconfig.ModelConfig {
	cfg := chainOf(steps)
	cfg.Output = nil
	for i, s := range cfg.GetEnsembleScheduling().Step {
		s.InputMap["i"] = "t0"
		cfg.Output = append(cfg.Output, &modelconfig.ModelOutput{Name: fmt.Sprint("t", i+1), Dims: []int64{16}})
	}
	return cfg
}

// BenchmarkEnsembleStep measures what an ensemble adds for each step to the model's own scheduler and
// work.
func BenchmarkEnsembleStep(b *testing.B) {
	const steps = 8
	r := &infer.Request{ID: "7", Batch: 1, Inputs: []tensor.Tensor{
		{Name: "t0", Type: tensor.FP32, Shape: tensor.Shape{1, 16}, Data: make([]byte, 64)},
	}}
	ignore := func(*infer.Response) error { return nil }
	parts := newInstant()
	for name, h := range map[string]infer.Handler{
		"chain": sched.NewEnsemble(chainOf(steps), parts), "star": sched.NewEnsemble(starOf(steps), parts), "model alone": alone{parts, steps},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := h.Infer(b.Context(), r, ignore); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*steps), "ns/step")
		})
	}
}

// alone runs a model as often as an ensemble has steps.
type alone struct {
	parts *instant
	times int
}

func (a alone) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	for range a.times {
		if err := a.parts.Infer(ctx, r, sink); err != nil {
			return err
		}
	}
	return nil
}
