package grpcapi

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"conch/engine/infer"
	"conch/engine/kserve/kservepb"
)

// modelInfer answers ModelInfer: one message in, one out.
func (s *server) modelInfer(stream grpc.ServerStream) error {
	req := new(kservepb.ModelInferRequest)
	if err := stream.RecvMsg(req); err != nil {
		return err
	}
	f, err := s.readModel(req)
	if err != nil {
		return statusOf(err)
	}
	if f.decoupled {
		return statusOf(infer.Errorf(infer.Unsupported, "ModelInfer RPC doesn't support models with decoupled transaction policy"))
	}
	if err := f.read(req); err != nil {
		return statusOf(err)
	}
	f.Trace = ownTrace(stream)
	var encoded grpc.PreparedMsg
	answered := false
	err = s.svc.Infer(stream.Context(), &f.Request, func(r *infer.Response) error {
		if answered {
			return infer.Errorf(infer.Internal, "model '%s' gave more than one response to one request", f.Model)
		}
		answered = true
		return encoded.Encode(stream, f.response(r))
	})
	if f.Trace != nil {
		s.setTrace(stream, f.Trace)
	}
	if err == nil && !answered {
		err = infer.Errorf(infer.Internal, "model '%s' gave no response to a request", f.Model)
	}
	if err != nil {
		return statusOf(err)
	}
	return stream.SendMsg(&encoded)
}

// incoming is the first value of a call's metadata.
func incoming(stream grpc.ServerStream, key string) string {
	if values := metadata.ValueFromIncomingContext(stream.Context(), key); len(values) > 0 {
		return values[0]
	}
	return ""
}
