package main

import (
	"io"
	"strings"
	"testing"

	"conch/app/conversion"
	"conch/engine/convert"
)

// A flag that the target does not read is refused before anything is done.
func TestConvertRefusesFlagsOfOtherTargets(t *testing.T) {
	for want, c := range map[string]convertCommand{
		"--range is for --to tensorrt alone, and this is --to fp16":     {To: string(convert.FP16), Range: []string{"a:1,2,3"}},
		"--workspace is for --to tensorrt alone, and this is --to int8": {To: string(convert.INT8), Workspace: 1},
		"--as is for --to tensorrt alone, and this is --to fp16":        {To: string(convert.FP16), As: "b"},
		"--dynamic is for --to int8 alone, and this is --to tensorrt":   {To: conversion.Plan, Dynamic: true},
	} {
		c.Model, c.in, c.out = t.TempDir(), strings.NewReader(""), io.Discard
		if err := c.Run(t.Context()); err == nil || err.Error() != want {
			t.Errorf("%v, not %q", err, want)
		}
	}
}
