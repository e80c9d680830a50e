//go:build unix

package conversion_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/conversion"
	"conch/app/runtimecmd"
	"conch/engine/backend/onnx/onnxtest"
)

// ordered runs a conversion whose process makes nothing, and returns the order that it got.
func ordered(t *testing.T, o conversion.Order) (*api.ConversionOrder, *conversion.Result, error) {
	t.Helper()
	dir := t.TempDir()
	program, got := filepath.Join(dir, "converts"), filepath.Join(dir, "order")
	script := "#!/bin/sh\nfor dir; do :; done\ncp $dir/order " + got + " && mkdir -p $dir/work/made && echo '{\"report\":{}}'\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	jobs := &conversion.Jobs{Program: runtimecmd.Program(program), Dir: filepath.Join(dir, "jobs")}
	t.Cleanup(func() { _ = jobs.Close() })
	r, err := jobs.Run(t.Context(), o, func(*api.ConversionEvent) error { return nil })
	if err != nil {
		return nil, nil, err
	}
	order := &api.ConversionOrder{}
	raw, err := os.ReadFile(got)
	if err == nil {
		err = proto.Unmarshal(raw, order)
	}
	if err != nil {
		t.Fatal(err)
	}
	return order, r, nil
}

// floats is a request with an input x of this shape.
func floats(shape ...int64) *api.InferRequest {
	bytes := int64(4)
	for _, size := range shape {
		bytes *= size
	}
	return &api.InferRequest{Inputs: []*api.InferInput{{Name: "x", Datatype: "FP32", Shape: shape, Data: &api.InferInput_Raw{Raw: make([]byte, bytes)}}}}
}

// doubling is a model whose file takes x of these sizes.
func doubling(t *testing.T, config string, sizes ...any) conversion.Source {
	t.Helper()
	source, err := model(t, config, "1/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	m := onnxtest.Model{
		Inputs:  []onnxtest.Value{{Name: "x", Type: onnxtest.Float, Dims: onnxtest.Dims(sizes...)}},
		Outputs: []onnxtest.Value{{Name: "y", Type: onnxtest.Float, Dims: onnxtest.Dims(sizes...)}},
		Nodes:   []onnxtest.Node{{Op: "Add", Inputs: []string{"x", "x"}, Outputs: []string{"y"}}},
	}
	if err := os.WriteFile(filepath.Join(source.Versions[0].Dir, "model.onnx"), m.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return source
}

// Requests have the shapes that clients send; the file of a model with a reshape has others. Random ones are made as the file has them.
func TestRequestsOfAReshapedInput(t *testing.T) {
	source := doubling(t, "backend: \"onnxruntime\"\nmax_batch_size: 8\ninput [ { name: \"x\" data_type: TYPE_FP32 dims: [ 1 ] reshape: { shape: [ ] } } ]\n", -1)
	random, err := source.Random(1)
	if err != nil {
		t.Fatal(err)
	}
	order, _, err := ordered(t, conversion.Order{Source: source, Saved: []*api.InferRequest{floats(3, 1)},
		ConversionOrder: &api.ConversionOrder{Target: "fp16", Requests: append(random, floats(2, 1))}})
	if err != nil {
		t.Fatal(err)
	}
	var shapes [][]int64
	for _, r := range order.Requests {
		shapes = append(shapes, r.Inputs[0].Shape)
	}
	if got := fmt.Sprint(shapes); got != "[[1] [2] [3]]" {
		t.Errorf("the file gets %s", got)
	}
}

// Saved requests may be of the model as it was: those that do not fit any more are left out, and people hear it. Where none is left, nothing is made.
func TestSavedRequestsThatDoNotFit(t *testing.T) {
	source := doubling(t, onnx, -1, 2)
	of := func(saved ...*api.InferRequest) conversion.Order {
		return conversion.Order{Source: source, Saved: saved, ConversionOrder: &api.ConversionOrder{Target: "int8"}}
	}
	order, r, err := ordered(t, of(floats(1, 5), floats(1, 2), floats(3, 2), floats(1, 2), floats(2, 5)))
	if err != nil || len(order.Requests) != 2 {
		t.Fatalf("%v, %v", order, err)
	}
	want := `Saved requests that do not fit version 1 were left out, 2 of 5: input "x" has shape [1,5], and the model takes [-1,2].`
	if notes := r.Report.Notes; len(notes) != 1 || notes[0] != want {
		t.Errorf("told %q", notes)
	}
	if _, r, err := ordered(t, of(floats(1, 2))); err != nil || len(r.Report.Notes) > 0 {
		t.Errorf("where all fit: %v, %v", r, err)
	}
	want = `none of the saved requests fits version 1 of m: input "x" has shape [1,5], and the model takes [-1,2]. Send one that fits, or leave the saved ones out`
	if _, _, err := ordered(t, of(floats(1, 5), floats(2, 5))); text(err) != want || !errors.Is(err, conversion.ErrUnfit) {
		t.Error(err)
	}
}

// A request that no profile of a plan takes is told before the plan is built, which may take long. So are a profile that the model does not have, and a
// name that no model can have.
func TestPlansThatCannotBeTriedOrWritten(t *testing.T) {
	source := doubling(t, onnx, -1, 2)
	profile := func(least, largest int64) *api.PlanProfile {
		return &api.PlanProfile{Ranges: []*api.ShapeRange{{Input: "x", Least: []int64{least, 2}, Best: []int64{least, 2}, Largest: []int64{largest, 2}}}}
	}
	ranged := func(input string, shape []int64) *api.PlanProfile {
		return &api.PlanProfile{Ranges: []*api.ShapeRange{{Input: input, Least: shape, Best: shape, Largest: shape}}}
	}
	for _, c := range []struct {
		becomes  string
		profiles []*api.PlanProfile
		want     string
	}{
		{"p", nil, `input "x" has shape [-1,2]: say the least, best and largest shape of it in profile 0`},
		{"p", []*api.PlanProfile{profile(1, 4), {}}, `input "x" has shape [-1,2]: say the least, best and largest shape of it in profile 1`},
		{"p", []*api.PlanProfile{profile(4, 1)}, `input "x": each size must be least <= best <= largest, and [4,2], [4,2], [1,2] is not so`},
		{"p", []*api.PlanProfile{ranged("x", []int64{1, 3})}, `input "x": shape [1,3] does not fit [-1,2]`},
		{"p", []*api.PlanProfile{ranged("x", []int64{1})}, `input "x": shape [1] does not fit [-1,2]`},
		{"p", []*api.PlanProfile{ranged("z", []int64{1, 2})}, `the model has no input "z" that a profile could name, it takes "x"`},
		{"p", []*api.PlanProfile{profile(1, 4)}, ""},
		{"p", []*api.PlanProfile{profile(1, 2), profile(3, 8)}, ""},
		{"p", []*api.PlanProfile{profile(4, 8)}, `request 1 of 1 does not fit version 1 of m: input "x" has shape [3,2], and the profile takes [4,2] to [8,2]`},
		{"p", []*api.PlanProfile{profile(1, 2), profile(4, 8)}, `request 1 of 1 does not fit version 1 of m: none of the 2 profiles takes it: input "x" has shape [3,2], and the profile takes [1,2] to [2,2]`},
		{"../p", nil, `cannot use "../p": a model's name is the name of a folder: it has no / and no \ in it, and is not . or ..`},
	} {
		_, _, err := ordered(t, conversion.Order{Source: source, Becomes: c.becomes, ConversionOrder: &api.ConversionOrder{
			Target: conversion.Plan, Requests: []*api.InferRequest{floats(3, 2)}, Plan: &api.PlanSettings{Profiles: c.profiles},
		}})
		if text(err) != c.want {
			t.Errorf("%s, %v: %v", c.becomes, c.profiles, err)
		}
	}
}
