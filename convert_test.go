package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"conch/app/conversion"
	"conch/engine/convert"
)

// A flag that the target does not read is refused before anything is done.
func TestConvertRefusesFlagsOfOtherTargets(t *testing.T) {
	for want, c := range map[string]convertCommand{
		"--range is for --to tensorrt alone, and this is --to fp16":     {To: string(convert.FP16), Range: []string{"a:1,2,3"}},
		"--workspace is for --to tensorrt alone, and this is --to int8": {To: string(convert.INT8), Workspace: 1},
		"--gpu is for --to tensorrt alone, and this is --to int8":       {To: string(convert.INT8), GPU: 1},
		"--as is for --to tensorrt alone, and this is --to fp16":        {To: string(convert.FP16), As: "b"},
		"--dynamic is for --to int8 alone, and this is --to tensorrt":   {To: conversion.Plan, Dynamic: true},
	} {
		c.Model, c.in, c.out = t.TempDir(), strings.NewReader(""), io.Discard
		if err := c.Run(t.Context()); err == nil || err.Error() != want {
			t.Errorf("%v, not %q", err, want)
		}
	}
}

// A second range of an input is refused: it would take the place of the first.
func TestConvertRefusesTwoRangesOfAnInput(t *testing.T) {
	c := convertCommand{To: conversion.Plan, Range: []string{"a:1,2,3", "b:1,2,3", "a:4,5,6"}}
	if _, err := c.plan(); err == nil || err.Error() != "--range: input a has two ranges, and a plan is built with one profile" {
		t.Errorf("%v", err)
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
