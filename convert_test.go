package main

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/app/api"
	"conch/app/conversion"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/convert"
)

// A flag that the target does not read is refused before anything is done.
func TestConvertRefusesFlagsOfOtherTargets(t *testing.T) {
	for want, c := range map[string]convertCommand{
		"--range is for --to tensorrt alone, and this is --to fp16":     {To: string(convert.FP16), Range: []string{"a:1,2,3"}},
		"--workspace is for --to tensorrt alone, and this is --to int8": {To: string(convert.INT8), Workspace: 1},
		"--gpu is for --to tensorrt alone, and this is --to int8":       {To: string(convert.INT8), GPU: 1},
		"--precision is for --to tensorrt alone, and this is --to fp16": {To: string(convert.FP16), Precision: "bf16"},
		"--keep is for --to fp16 alone, and this is --to int8":          {To: string(convert.INT8), Keep: []string{"Exp"}},
		"--as is for --to tensorrt alone, and this is --to fp16":        {To: string(convert.FP16), As: "b"},
		"--dynamic is for --to int8 alone, and this is --to tensorrt":   {To: conversion.Plan, Dynamic: true},
	} {
		c.Model, c.in, c.out = t.TempDir(), strings.NewReader(""), io.Discard
		if err := c.Run(t.Context()); err == nil || err.Error() != want {
			t.Errorf("%v, not %q", err, want)
		}
	}
}

// A second range of an input makes a second profile.
func TestConvertWithProfiles(t *testing.T) {
	c := convertCommand{To: conversion.Plan, Range: []string{"a:1,2,3", "b:1,2,3", "a:4,5,6"}}
	plan, err := c.plan()
	if err != nil || len(plan.Profiles) != 2 || plan.Profiles[1].Ranges[0].Best[0] != 5 || plan.Profiles[1].Ranges[1].Best[0] != 2 {
		t.Errorf("%v, %v", plan, err)
	}
	for want, list := range map[string][]string{
		"--range: input b has 2 ranges, and input a has 3: ": {"a:1,2,3", "b:1,2,3", "a:1,2,3", "a:1,2,3", "b:1,2,3"},
		`--range: "a" is no range of shapes`:                 {"a"},
	} {
		c.Range = list
		if _, err := c.plan(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Random requests are part of the order, and their number has its limits.
func TestConvertWithRandomRequests(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	c := convertCommand{Model: "examples/repository/digits", To: string(convert.FP16), Random: 3, NoHistory: true}
	o, err := c.order(t.Context())
	if err != nil || len(o.Requests) != 3 || len(o.Requests[0].Inputs) == 0 {
		t.Errorf("%v, %v", o.Requests, err)
	}
	c.Random = 65
	if _, err := c.order(t.Context()); err == nil || err.Error() != "--random: 65 is not a number of random requests from 0 to 64" {
		t.Errorf("%v", err)
	}
}

// Who names no version is told which one is converted, where that is not the newest.
func TestConvertSaysWhichVersionItTakes(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	dir := filepath.Join(t.TempDir(), "digits")
	if err := os.CopyFS(dir, os.DirFS("examples/repository/digits")); err != nil {
		t.Fatal(err)
	}
	m := onnxtest.Model{
		Inputs:  []onnxtest.Value{{Name: "X", Type: onnxtest.Float, Dims: onnxtest.Dims(2)}},
		Outputs: []onnxtest.Value{{Name: "Y", Type: onnxtest.Float, Dims: onnxtest.Dims(2)}},
		Nodes:   []onnxtest.Node{{Op: "QuantizeLinear", Inputs: []string{"X"}, Outputs: []string{"Y"}}},
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "2"), 0o700), os.WriteFile(filepath.Join(dir, "2", "model.onnx"), m.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	c := convertCommand{Model: dir, To: string(convert.FP16), NoHistory: true}
	o, err := c.order(t.Context())
	if err != nil || o.Version != 1 || c.skipped(o.Source, o.Version) != "version 2 is INT8 already, so version 1 is converted" {
		t.Errorf("version %d: %q, %v", o.Version, c.skipped(o.Source, o.Version), err)
	}
	c.Version = 2
	if o, err := c.order(t.Context()); err != nil || o.Version != 2 || c.skipped(o.Source, o.Version) != "" {
		t.Errorf("version %d, %v", o.Version, err)
	}
}

// What is said of random values is true of the order: whether others are beside them, and whether INT8 takes its ranges from them.
func TestConvertSaysWhatRandomValuesMean(t *testing.T) {
	for want, c := range map[string]struct {
		of    convertCommand
		alone bool
	}{
		"random values are not your data: the differences say little of real requests":                                           {convertCommand{To: string(convert.FP16)}, true},
		"random values are not your data: INT8 may take wrong ranges from them, and the differences say little of real requests": {convertCommand{To: string(convert.INT8)}, true},
		"random values are not your data: the largest differences may be theirs":                                                 {convertCommand{To: string(convert.INT8), Dynamic: true}, false},
		"random values are not your data: INT8 takes its ranges from them too, and the largest differences may be theirs":        {convertCommand{To: string(convert.INT8)}, false},
	} {
		if got := c.of.aboutRandom(c.alone); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The report writes times as the rest of Conch does.
func TestConvertReportHasTimesForPeople(t *testing.T) {
	var out strings.Builder
	if err := printReport(&out, &api.ConversionReport{BeforeMs: 0.0086, AfterMs: 12.34, Runs: 3, Requests: 1}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "time   8.60 µs -> 12.3 ms a request") {
		t.Error(out.String())
	}
}

// A difference of times that may be noise is not told as a fact.
func TestConvertReportDoubtsNoise(t *testing.T) {
	for want, after := range map[string][2]float64{
		"runs, ort): no difference shows, as the usual times overlap\n": {9, 12}, "runs, ort)\n": {7, 9.9}, "runs, ort), too few to rely on the difference\n": {0, 0},
	} {
		var out strings.Builder
		r := &api.ConversionReport{BeforeMs: 11, AfterMs: 9, Runs: 40, Tool: "ort", BeforeLowMs: 10, BeforeHighMs: 12, AfterLowMs: after[0], AfterHighMs: after[1]}
		if err := printReport(&out, r); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v: %s, %v", after, out.String(), err)
		}
	}
}

// An output without a cosine, such as one that is all zero, is text or has no values, has none in the report either.
func TestConvertReportWithoutACosine(t *testing.T) {
	none := math.NaN()
	for want, o := range map[string]*api.OutputAgreement{
		"largest difference 0, relative 0, no cosine (all values are zero on one side), same first place in 2 of 2 rows": {Elements: 4, Equal: 4, Cosine: none, Rows: 2, SameRows: 2},
		"largest difference 0.5, relative 0, no cosine (all values are zero on one side)":                                {Elements: 4, Absolute: 0.5, Cosine: none},
		"largest difference 0, relative 0, no cosine, 4 values are infinite or no numbers on one side alone":             {Elements: 4, Cosine: none, Odd: 4},
		"largest difference 0.5, relative 0.25, cosine 0.999000":                                                         {Elements: 4, Absolute: 0.5, Relative: 0.25, Cosine: 0.999},
		"nothing to compare: it has no values":                                                                           {Cosine: none},
		"2 of 3 texts are the same":                                                                                      {Datatype: "BYTES", Elements: 3, Equal: 2, Cosine: none},
	} {
		if got := agreementText(o); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Who is asked can stop the command, and has then not agreed.
func TestConvertStopsWhileItAsks(t *testing.T) {
	in, answers := io.Pipe() // nobody answers
	t.Cleanup(func() { _ = answers.Close() })
	c := convertCommand{in: in}
	c.usual()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	ended := make(chan bool, 1)
	go func() { ended <- c.asked(ctx, "Write version 2 of digits?") }()
	select {
	case agreed := <-ended:
		if agreed {
			t.Error("it is written")
		}
	case <-time.After(10 * time.Second):
		t.Error("it still asks")
	}
}
