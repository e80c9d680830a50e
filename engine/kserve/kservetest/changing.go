package kservetest

import (
	"context"
	"sync/atomic"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// Changing serves a model "m" that changes its version at every look. Odd versions take TYPE_INT64, even versions
// TYPE_FP32, and each answers with its number and its type. A transport that looks twice while a model is reloaded
// sees the same.
type Changing struct {
	Service
	looks  atomic.Int64
	Inside atomic.Int64 // requests that have entered and not left
	Wrong  atomic.Int64 // requests that were not read by the version that ran them
}

// NewChanging returns a Changing.
func NewChanging() *Changing {
	c := &Changing{}
	c.ConfigFunc = func(string, int64) (*modelconfig.ModelConfig, error) { return c.look().config(), nil }
	c.EnterFunc = func(string, int64) (infer.Target, error) {
		v := c.look()
		c.Inside.Add(1)
		return infer.Target{Config: v.config(), Version: v}, nil
	}
	return c
}

func (c *Changing) look() *changed { return &changed{c, c.looks.Add(1)} }

// changed is a version of a Changing's model.
type changed struct {
	of     *Changing
	number int64
}

func (v *changed) datatype() tensor.DataType {
	if v.number%2 == 0 {
		return tensor.FP32
	}
	return tensor.Int64
}

func (v *changed) config() *modelconfig.ModelConfig {
	return &modelconfig.ModelConfig{
		Name: "m", Input: []*modelconfig.ModelInput{input("IN", v.datatype(), -1)}, Output: []*modelconfig.ModelOutput{output("OUT", v.datatype(), -1)},
	}
}

// Infer answers with its input, and counts inputs of another type.
func (v *changed) Infer(_ context.Context, r *infer.Request, sink infer.Sink) error {
	if len(r.Inputs) != 1 || r.Inputs[0].Type != v.datatype() {
		v.of.Wrong.Add(1)
	}
	out := tensor.Tensor{Name: "OUT", Type: v.datatype(), Shape: tensor.Shape{1}, Data: make([]byte, v.datatype().Size())}
	return sink(&infer.Response{ID: r.ID, Model: "m", Version: v.number, Outputs: []tensor.Tensor{out}, Final: true})
}

// Leave counts the requests inside.
func (v *changed) Leave() { v.of.Inside.Add(-1) }
