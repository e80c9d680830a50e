package sched_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/sched"
	"conch/engine/tensor"
)

// counting are models that take no time: "rep" as in shop, "id" with one instance, "ids" with four.
type counting struct {
	id, ids infer.Handler
	lent    atomic.Int64
}

func newCounting() *counting {
	c := &counting{}
	c.id = sched.NewDirect([]sched.Executor{c}, &gauge{})
	c.ids = sched.NewDirect([]sched.Executor{c, c, c, c}, &gauge{})
	return c
}

func (c *counting) Enter(model string, version int64) (infer.Target, error) {
	config, err := c.Config(model, version)
	return infer.Target{Config: config, Version: c}, err
}

func (c *counting) Leave() {}

func (c *counting) Config(model string, _ int64) (*modelconfig.ModelConfig, error) {
	return &modelconfig.ModelConfig{
		Name: model, InstanceGroup: []*modelconfig.ModelInstanceGroup{{Count: map[bool]int32{true: 4, false: 1}[model == "ids"]}},
		ModelTransactionPolicy: &modelconfig.ModelTransactionPolicy{Decoupled: model == "rep"},
	}, nil
}

func (c *counting) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	switch r.Model {
	case "id":
		return c.id.Infer(ctx, r, sink)
	case "ids":
		return c.ids.Infer(ctx, r, sink)
	}
	for i := range number(r, "IN") {
		resp := c.response(r, byte(i+1))
		err := sink(resp)
		if resp.Release != nil {
			resp.Release()
		}
		if err != nil {
			return err
		}
	}
	return sink(&infer.Response{Final: true})
}

// Execute implements sched.Executor for id.
func (c *counting) Execute(_ context.Context, calls []*sched.Call) {
	for _, call := range calls {
		resp := c.response(call.Request, call.Request.Inputs[0].Data[0])
		resp.Final = true
		call.Respond(resp)
	}
}

func (c *counting) response(r *infer.Request, n byte) *infer.Response {
	data := []byte{n}
	c.lent.Add(1)
	return &infer.Response{
		Outputs: []tensor.Tensor{{Name: r.Outputs[0].Name, Type: tensor.Int8, Shape: tensor.Shape{1}, Data: data}},
		Release: func() {
			data[0] = 0xee // nobody reads it any more
			c.lent.Add(-1)
		},
	}
}

// chainOfWords returns a random chain of steps, and its answer to a number.
func chainOfWords(in int) (steps []string, want []int) {
	want = []int{in}
	for i, n := 0, 1+rand.IntN(4); i < n; i++ {
		model, next := []string{"id", "ids"}[rand.IntN(2)], want
		if i == 0 || rand.IntN(2) == 0 {
			model, next = "rep", nil
			for _, k := range want {
				for j := range k {
					next = append(next, j+1)
				}
			}
		}
		to := fmt.Sprint("t", i)
		if i == n-1 {
			to = "OUT"
		}
		from := "IN"
		if i > 0 {
			from = fmt.Sprint("t", i-1)
		}
		steps, want = append(steps, fmt.Sprintf("%s IN=%s > OUT=%s", model, from, to)), next
	}
	return steps, want
}

// Many requests at a time run through random ensembles, with limits and without. Every client gets all its answers in
// order, and all memory is freed.
func TestDecoupledEnsemblesUnderLoad(t *testing.T) {
	c := newCounting()
	var all sync.WaitGroup
	for range 60 {
		in := rand.IntN(5)
		steps, want := chainOfWords(in)
		cfg := streaming(steps...)
		cfg.GetEnsembleScheduling().MaxInflightRequests = uint32(rand.IntN(3))
		e := sched.NewEnsemble(cfg, c)
		for range 3 {
			all.Go(func() {
				var got []int
				ended := false
				err := e.Infer(t.Context(), ofNumber(in), func(resp *infer.Response) error {
					if ended {
						t.Error("an answer behind the last")
					}
					ended = resp.Final
					for _, out := range resp.Outputs {
						got = append(got, int(out.Data[0]))
					}
					return nil
				})
				if err != nil || !ended || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s on %d: %v, ended %v, %v; want %v", strings.Join(steps, ", "), in, got, ended, err, want)
				}
			})
		}
	}
	all.Wait()
	if n := c.lent.Load(); n != 0 {
		t.Errorf("memory of %d responses is still out", n)
	}
}
