package grpcapi

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"

	"conch/engine/infer"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/tracing"
)

// modelInfer answers ModelInfer: one message in, one out.
func (s *server) modelInfer(stream *call) error {
	began := time.Now()
	req := new(kservepb.ModelInferRequest)
	account, err := stream.receive(req)
	defer func() { account.Close() }() // whatever the error
	if err != nil {
		return err
	}
	if err := account.Grow(infer.RequestCost); err != nil {
		return statusOf(err)
	}
	f, err := s.readModel(req)
	if err != nil {
		return statusOf(err)
	}
	defer f.leave()
	if f.decoupled {
		return statusOf(infer.Errorf(infer.Unsupported, "ModelInfer RPC doesn't support models with decoupled transaction policy"))
	}
	if err := f.read(stream.Context(), req); err != nil {
		return statusOf(err)
	}
	s.dress(stream.Context(), f)
	f.Trace = ownTrace(stream)
	own := f.Trace
	sampled := s.opts.Tracer.Sample(f.Model)
	if sampled != nil {
		f.sampled(sampled, began)
		defer sampled.Done()
	}
	var encoded *outgoing
	answered := false
	err = f.target.Infer(stream.Context(), &f.Request, func(r *infer.Response) error {
		if answered {
			return infer.Errorf(infer.Internal, "model '%s' gave more than one response to one request", f.Model)
		}
		answered = true
		var err error
		encoded, err = stream.prepare(f.response(r), s.opts.Memory)
		return err
	})
	f.leave() // before anything is sent: a slow client keeps no version from being freed
	if own != nil {
		s.setTrace(stream, f.Trace)
	}
	if err == nil && !answered {
		err = infer.Errorf(infer.Internal, "model '%s' gave no response to a request", f.Model)
	}
	if err != nil {
		encoded.free()
		return statusOf(err)
	}
	sampled.Mark("GRPC_SEND_START")
	err = stream.SendMsg(encoded)
	sampled.Mark("GRPC_SEND_END")
	return err
}

// dress does for a request what the flags of the endpoint ask for.
func (s *server) dress(ctx context.Context, f *inference) {
	if s.opts.Compress {
		_ = grpc.SetSendCompressor(ctx, gzip.Name) // a client that does not take it gets the answer as it is
	}
	if s.opts.ForwardHeaders == nil {
		return
	}
	headers, _ := metadata.FromIncomingContext(ctx)
	for name, values := range headers {
		if !s.opts.ForwardHeaders.MatchString(name) || len(values) == 0 {
			continue
		}
		if f.Parameters == nil {
			f.Parameters = map[string]any{}
		}
		f.Parameters[name] = values[0]
	}
}

// sampled has the request traced under the server's settings, beside what the call itself asked for.
func (f *inference) sampled(s *tracing.Sampled, began time.Time) {
	s.Use(f.Trace)
	s.MarkAt("GRPC_WAITREAD_START", began)
	s.MarkAt("GRPC_WAITREAD_END", f.Received)
	f.Trace = s.Trace
}

// incoming is the first value of a call's metadata.
func incoming(stream grpc.ServerStream, key string) string {
	if values := metadata.ValueFromIncomingContext(stream.Context(), key); len(values) > 0 {
		return values[0]
	}
	return ""
}
