package python_test

import (
	"context"
	"net"
	"testing"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// debugged is a model that calls another one. Its debugpy listens nowhere.
const debugged = `
import sys
from types import SimpleNamespace

import triton_python_backend_utils as pb_utils

sys.modules["debugpy"] = SimpleNamespace(listen=lambda at: (at[0], 1234))


class TritonPythonModel:
    def execute(self, requests):
        return [
            pb_utils.InferenceRequest(model_name="copy", inputs=request.inputs(), requested_output_names=[]).exec()
            for request in requests
        ]
`

// opens runs calls when it is closed, and says when one has begun.
type opens struct{ begun, open chan struct{} }

func (o opens) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	o.begun <- struct{}{}
	<-o.open
	return counter{}.Infer(ctx, r, sink)
}

// Who asks for the debugger while the instance executes, and gives up, harms nothing: the instance listens when the execution has ended.
func TestDebuggerOfAnInstanceThatExecutes(t *testing.T) {
	in, gate := loadModel(t, debugged, flat(tensor.Int32)), opens{make(chan struct{}, 2), make(chan struct{})}
	in.(backend.Caller).Calls(gate)
	one := tensor.Tensor{Name: "IN", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: make([]byte, 4)}
	ended := make(chan error)
	go func() {
		_, err := run(t, in, one)
		ended <- err
	}()
	<-gate.begun
	gone, leave := context.WithCancel(t.Context())
	leave()
	for range 3 {
		if at, err := in.(backend.Debuggable).Debug(gone); err == nil {
			t.Errorf("it listens at %s while it executes", at)
		}
	}
	close(gate.open)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, in, one); err != nil {
		t.Fatal(err)
	}
	if p, _ := in.(backend.Housed).Process(); p.Debugger != "127.0.0.1:1234" {
		t.Errorf("it listens at %q", p.Debugger)
	}
	if at, err := in.(backend.Debuggable).Debug(t.Context()); at != "127.0.0.1:1234" || err != nil {
		t.Errorf("asked again: %q, %v", at, err)
	}
}

// listening is a model whose debugpy takes the port that it is given, and else a free one.
const listening = `
import socket
import sys
from types import SimpleNamespace


def listen(at):
    with socket.socket() as found:
        found.bind(at)
        return found.getsockname()


sys.modules["debugpy"] = SimpleNamespace(listen=listen)


class TritonPythonModel:
    pass
`

// A model that is loaded again listens where it did before, and elsewhere when somebody has taken that port meanwhile.
func TestDebuggerKeepsItsPort(t *testing.T) {
	b, spec := newBackend(t), specOf(t, listening, flat(tensor.Bytes))
	at := func() string {
		m, err := b.Load(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: "m_0"})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = in.Close() }()
		address, err := in.(backend.Debuggable).Debug(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return address
	}
	first := at()
	if again := at(); again != first {
		t.Errorf("first at %s, then at %s", first, again)
	}
	taken, err := net.Listen("tcp", first)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	if again := at(); again == first {
		t.Errorf("it claims to listen at %s, where another program does", again)
	}
}
