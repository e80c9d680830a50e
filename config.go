package main

import (
	"os"

	"conch/app/checkcmd"
)

// configCommand is `conch config`.
type configCommand struct {
	Model  string `arg:"" help:"A model's folder, a model file to make a config from (.onnx, .pt, .plan, saved_model.pb), or a config as Triton serves it (.json)."`
	Format string `enum:"text,json" default:"text" help:"How the config is written: ${enum}."`
	serverFlags
}

// Run prints a model's config as Triton would serve it.
func (c *configCommand) Run() error {
	return checkcmd.Config(c.Model, checkcmd.Options{Format: checkcmd.Format(c.Format), Flags: c.flags()}, os.Stdout)
}
