package main

import (
	"context"
	"errors"
	"os"
	"slices"

	"conch/configedit/modelfile"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/ort"
	"conch/engine/tensor"
)

// direct is ONNX Runtime without an engine around it, through one call into its C API a run, with the threads that
// the engine's sessions share.
type direct struct {
	session *ort.Session
	runner  *ort.Runner
	inputs  []tensor.Tensor
	index   []int
	handles []ort.Handle
	library *ort.Library
}

// openDirect makes a session of a file.
func openDirect(file string, inputs ...tensor.Tensor) (*direct, error) {
	library, err := ort.Open(os.Getenv(onnx.LibraryVariable), ort.Threads{})
	if err != nil {
		return nil, err
	}
	options, err := library.NewOptions()
	if err != nil {
		return nil, err
	}
	defer options.Close()
	if err := errors.Join(options.SetLevel(ort.EnableAll), options.ShareThreads()); err != nil {
		return nil, err
	}
	session, err := library.NewSession(context.Background(), file, options, 0)
	if err != nil {
		return nil, err
	}
	d := &direct{session: session, inputs: inputs, library: library, handles: make([]ort.Handle, len(session.Model().Outputs))}
	for _, in := range inputs {
		d.index = append(d.index, slices.IndexFunc(session.Model().Inputs, func(t modelfile.Tensor) bool { return t.Name == in.Name }))
	}
	d.runner, err = session.NewRunner(nil)
	return d, err
}

// run makes one run of the inputs and gives its outputs back.
func (d *direct) run() error {
	defer d.runner.Reset()
	for o := range d.handles {
		d.runner.Want(o)
	}
	for i := range d.inputs {
		if err := d.runner.Input(d.index[i], &d.inputs[i], d.inputs[i].Shape); err != nil {
			return err
		}
	}
	if err := d.runner.Run(context.Background()); err != nil {
		return err
	}
	d.runner.Take(d.handles)
	d.library.Release(d.handles)
	return nil
}

func (d *direct) close() {
	d.runner.Close()
	d.session.Close()
}

// batch is the input with another first dimension, all zero.
func batch(t tensor.Tensor, items int64) tensor.Tensor {
	t.Shape = append(tensor.Shape{items}, t.Shape[1:]...)
	size, _ := t.Shape.ByteSize(t.Type)
	t.Data = make([]byte, size)
	return t
}
