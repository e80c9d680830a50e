package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"conch/engine"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/infer"
	"conch/engine/tensor"
)

const addSubConfig = `backend: "onnxruntime" max_batch_size: 8 instance_group [{ count: 2 kind: KIND_CPU }]
input [{ name: "INPUT0" data_type: TYPE_INT32 dims: [16] }, { name: "INPUT1" data_type: TYPE_INT32 dims: [16] }]
output [{ name: "OUTPUT0" data_type: TYPE_INT32 dims: [16] }, { name: "OUTPUT1" data_type: TYPE_INT32 dims: [16] }]
`

func addSubInputs(first, second string) []tensor.Tensor {
	shape, data := tensor.Shape{1, 16}, make([]byte, 64)
	return []tensor.Tensor{
		{Name: first, Type: tensor.Int32, Shape: shape, Data: data}, {Name: second, Type: tensor.Int32, Shape: shape, Data: data},
	}
}

// asking is one request after the other.
func asking(e *engine.Engine, model string, inputs []tensor.Tensor) func() error {
	r := &infer.Request{Model: model, Version: infer.Latest, Inputs: inputs}
	return func() error { return e.Infer(context.Background(), r, ignore) }
}

func measureOverhead(context.Context, bench) error {
	return inTemp(func(dir string) error {
		graph := onnxtest.AddSub("n", 16).Bytes()
		e, stop, err := engineOf(dir,
			model{"add_sub", addSubConfig, graph}, model{"dynamic", addSubConfig + "dynamic_batching {}", graph})
		if err != nil {
			return err
		}
		defer stop()
		inputs := addSubInputs("INPUT0", "INPUT1")
		d, err := openDirect(filepath.Join(dir, "add_sub", "1", "model.onnx"), inputs...)
		if err != nil {
			return err
		}
		defer d.close()
		for _, name := range []string{"add_sub", "dynamic"} {
			if err := above(name, asking(e, name, inputs), d.run); err != nil {
				return err
			}
		}
		return nil
	})
}

// above prints what a request costs above a run.
func above(name string, ask, run func() error) error {
	// Short rounds: what else runs on the machine then spoils few of them.
	const runs = 100
	p, err := inTurn(501, times(runs, ask), times(runs, run))
	if err != nil {
		return err
	}
	ours, err := allocations(20*runs, ask)
	if err != nil {
		return err
	}
	bare, err := allocations(20*runs, run)
	if err != nil {
		return err
	}
	most(name+", above the run itself", p.difference/runs, 3*time.Microsecond, us, us(p.ours/runs)+" and "+us(p.peer/runs))
	most(name+", allocations above the run's", ours-bare, 4.05, count, fmt.Sprintf("%.1f and %.1f", ours, bare))
	return nil
}

// chain is an ensemble of add_sub in a row.
func chain(steps int) string {
	var text strings.Builder
	fmt.Fprintf(&text, `platform: "ensemble" max_batch_size: 8
input [{ name: "A" data_type: TYPE_INT32 dims: [16] }, { name: "t0" data_type: TYPE_INT32 dims: [16] }]
output [{ name: "t%d" data_type: TYPE_INT32 dims: [16] }]
ensemble_scheduling {`, steps)
	for i := range steps {
		fmt.Fprintf(&text, ` step { model_name: "add_sub" model_version: -1 input_map { key: "INPUT0" value: "A" }
input_map { key: "INPUT1" value: "t%d" } output_map { key: "OUTPUT0" value: "t%d" } }`, i, i+1)
	}
	return text.String() + "}"
}

// fork is an ensemble of two branches that know nothing of each other.
var fork = strings.ReplaceAll(`platform: "ensemble" max_batch_size: 32
input [{ name: "IN" data_type: TYPE_FP32 dims: [1024] }]
output [{ name: "LEFT" data_type: TYPE_FP32 dims: [1024] }, { name: "RIGHT" data_type: TYPE_FP32 dims: [1024] }]
ensemble_scheduling {
step { model_name: "left" model_version: -1 input_map { key: "X" value: "IN" } output_map { key: "Y" value: "LEFT" } }
step { model_name: "right" model_version: -1 input_map { key: "X" value: "IN" } output_map { key: "Y" value: "RIGHT" } } }
`, "1024", fmt.Sprint(denseSize))

func measureEnsemble(context.Context, bench) error {
	return inTemp(func(dir string) error {
		branch := denseConfig(32, "") + ` parameters { key: "intra_op_thread_count" value { string_value: "1" } }`
		graph := dense(denseSize).Bytes()
		const steps = 8
		e, stop, err := engineOf(dir,
			model{"add_sub", addSubConfig, onnxtest.AddSub("n", 16).Bytes()}, model{"chain", chain(steps), nil},
			model{"left", branch, graph}, model{"right", branch, graph}, model{"fork", fork, nil})
		if err != nil {
			return err
		}
		defer stop()
		const runs = 10
		ask, single := asking(e, "chain", addSubInputs("A", "t0")), asking(e, "add_sub", addSubInputs("INPUT0", "INPUT1"))
		p, err := inTurn(501, times(runs, ask), times(runs*steps, single))
		if err != nil {
			return err
		}
		most(fmt.Sprintf("a step of %d, above the models' own time", steps), p.difference/runs/steps, 10*time.Microsecond, us,
			us(p.ours/runs)+" and "+us(p.peer/runs)+" for all")
		return branches(e)
	})
}

// branches compares the fork with its two models asked at the same time by two callers, and one after the other.
func branches(e *engine.Engine) error {
	input := []tensor.Tensor{batch(denseInput("X"), 32)}
	left, right := asking(e, "left", input), asking(e, "right", input)
	both := asking(e, "fork", []tensor.Tensor{batch(denseInput("IN"), 32)})
	p, err := inTurn(101, both, func() error {
		ended := make(chan error, 1)
		go func() { ended <- left() }()
		return errors.Join(right(), <-ended)
	})
	if err != nil {
		return err
	}
	inRow, err := inTurn(51, both, times(2, left))
	if err != nil {
		return err
	}
	most("two branches, both models at once = 1", p.quotient, 1.15, ratio, ms(p.ours)+" and "+ms(p.peer), "one after the other = 1: "+ratio(inRow.quotient))
	return nil
}
