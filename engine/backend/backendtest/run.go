package backendtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// answer is the result of one request of a batch.
type answer struct {
	outputs []tensor.Tensor
	landed  []string
	err     error
	times   int
}

// execute runs requests as one batch and copies the answers before it frees their memory.
func execute(ctx context.Context, t *testing.T, in backend.Instance, requests ...*infer.Request) []answer {
	t.Helper()
	answers := make([]answer, len(requests))
	batch := backend.NewBatch(requests, func(i int, r *infer.Response) {
		answers[i].times++
		answers[i].outputs, answers[i].landed = copies(r.Outputs), slices.Clone(r.Landed)
		if r.Release != nil {
			r.Release()
		}
	}, func(i int, err error) {
		answers[i].times++
		answers[i].err = err
	})
	eager := aheadOf(in) > 0
	if !eager {
		batch.Start()
	}
	in.Execute(ctx, batch)
	if eager && batch.Started().IsZero() {
		return notBegun(t, answers)
	}
	for i := range answers {
		if answers[i].times != 1 {
			t.Errorf("request %d of %d was answered %d times", i, len(requests), answers[i].times)
		}
	}
	input, run, output := batch.Stages(time.Now())
	if input < 0 || run < 0 || output < 0 {
		t.Errorf("stages run backwards: input %v, run %v, output %v", input, run, output)
	}
	return answers
}

// errNotBegun is of a batch that an eager instance has not begun.
var errNotBegun = errors.New("the instance has not begun the batch")

func notBegun(t *testing.T, answers []answer) []answer {
	t.Helper()
	for i := range answers {
		if answers[i].times != 0 {
			t.Errorf("request %d of a batch that has not begun was answered", i)
		}
		answers[i].err = errNotBegun
	}
	return answers
}

func copies(tensors []tensor.Tensor) []tensor.Tensor {
	list := slices.Clone(tensors)
	for i := range list {
		list[i].Data = bytes.Clone(list[i].Data)
		list[i].Shape = slices.Clone(list[i].Shape)
	}
	return list
}

// request makes a request for a copy of one tensor. Its content depends on seed.
func request(name string, t tensor.DataType, shape tensor.Shape, seed byte) *infer.Request {
	r := &infer.Request{Inputs: []tensor.Tensor{content(name, t, shape, seed)}}
	if len(shape) > 0 {
		r.Batch = shape[0]
	}
	return r
}

// content fills a tensor with bytes that are valid for its type and differ by seed.
func content(name string, t tensor.DataType, shape tensor.Shape, seed byte) tensor.Tensor {
	n, _ := shape.Elements()
	var data []byte
	for i := range n {
		value := byte(i)*7 + seed
		switch size := t.Size(); {
		case t == tensor.Bytes:
			text := []byte{'a' + value%26, 0, value}[:value%4%3+1]
			data = append(binary.LittleEndian.AppendUint32(data, uint32(len(text))), text...)
		case t == tensor.Bool:
			data = append(data, value&1)
		default:
			element := make([]byte, size)
			element[0] = value % 64
			data = append(data, element...)
		}
	}
	return tensor.Tensor{Name: name, Type: t, Shape: shape, Data: data}
}

// wantCopy checks that an answer's output is the request's input.
func wantCopy(t *testing.T, a answer, name string, in tensor.Tensor) {
	t.Helper()
	if a.err != nil {
		t.Errorf("failed: %v", a.err)
		return
	}
	for _, out := range a.outputs {
		if out.Name != name {
			continue
		}
		if out.Type != in.Type || !slices.Equal(out.Shape, in.Shape) || !bytes.Equal(out.Data, in.Data) {
			t.Errorf("%s = %v %v %x, want %v %v %x", name, out.Type, out.Shape, out.Data, in.Type, in.Shape, in.Data)
		}
		return
	}
	t.Errorf("no output %s among %d", name, len(a.outputs))
}
