package engineapi

import (
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine/infer"
	"conch/engine/kserve/enginepb"
)

// TracedTensors sends the tensors of a traced request, and behind them those of an ensemble's
// steps.
func (s *Server) TracedTensors(r *enginepb.TracedTensorsRequest, stream grpc.ServerStreamingServer[enginepb.TracedTensor]) error {
	trace, there := s.kept.Find(r.TraceId)
	if !there {
		return status.Errorf(codes.NotFound, "the tensors of trace %d are no longer kept: only the newest traces keep theirs", r.TraceId)
	}
	t := tensors{max: r.MaxBytes, send: stream.Send}
	return t.all(trace, nil)
}

// tensors sends the tensors of a trace.
type tensors struct {
	max  uint64 // bytes of each; 0 for all
	send func(*enginepb.TracedTensor) error
}

func (t *tensors) all(trace *infer.Trace, path []uint32) error {
	for i := range trace.Inputs {
		if err := t.one(&enginepb.TracedTensor{Path: path, Model: trace.Model}, &trace.Inputs[i]); err != nil {
			return err
		}
	}
	for n, answer := range trace.Responses {
		for i := range answer.Outputs {
			m := &enginepb.TracedTensor{Path: path, Model: trace.Model, Output: true, Response: uint32(n)}
			if err := t.one(m, &answer.Outputs[i]); err != nil {
				return err
			}
		}
	}
	for _, step := range trace.Steps {
		if err := t.all(step, append(slices.Clone(path), uint32(step.Step))); err != nil {
			return err
		}
	}
	return nil
}

func (t *tensors) one(m *enginepb.TracedTensor, value *infer.Copy) error {
	m.Name, m.Datatype, m.Shape = value.Name, value.Type.String(), value.Shape
	m.Data, m.ByteSize = value.Data, uint64(value.Bytes)
	if t.max > 0 && uint64(len(m.Data)) > t.max {
		m.Data = value.Data[:t.max]
	}
	return t.send(m)
}
