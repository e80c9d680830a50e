package python_test

import (
	"context"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// dying is a model that sends an answer and ends its process.
const dying = `
import os
import numpy as np
import triton_python_backend_utils as pb_utils

class TritonPythonModel:
    def execute(self, requests):
        answer = pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([["x"]], dtype=object))])
        requests[0].get_response_sender().send(answer)
        os._exit(3)
`

// deaf is a client that does not take its first answer. With its request, its context ends.
type deaf struct {
	ctx   context.Context
	begun chan struct{}
	reads chan struct{}
}

func (d *deaf) Context() context.Context { return d.ctx }
func (d *deaf) Failing()                 {}
func (d *deaf) Fail(error)               {}
func (d *deaf) Send(got *infer.Response) error {
	close(d.begun)
	<-d.reads
	if got.Release != nil {
		got.Release()
	}
	return nil
}

// When a process dies in an execution, the execution returns although a client does not take what the model has sent.
func TestDeathBesideAClientThatDoesNotRead(t *testing.T) {
	cfg := flat(tensor.Bytes)
	cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: true}
	in, _ := load(t, specOf(t, dying, cfg))
	ctx, giveUp := context.WithCancel(t.Context())
	client := &deaf{ctx: ctx, begun: make(chan struct{}), reads: make(chan struct{})}
	batch := backend.NewBatch([]*infer.Request{{Batch: 1, Inputs: []tensor.Tensor{text("a")}}}, nil, func(int, error) {})
	batch.OnLater(func(int) backend.Responder { return client })
	batch.Start()
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		in.Execute(t.Context(), batch)
	}()
	<-client.begun
	<-in.(backend.Mortal).Died()
	giveUp() // as the engine does
	<-returned
	close(client.reads)
}
