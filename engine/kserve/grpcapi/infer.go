package grpcapi

import (
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/grpcapi/shortcut"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/request"
)

// inference is a request while it is read and while it runs.
type inference struct {
	request.Assembler
	s       *server
	stream  *call
	message *kservepb.ModelInferRequest
	encoded *outgoing // the answer of a model with one response
	// marked is true when the answer tells whether it is the last, as all answers on a stream do.
	marked bool
}

// modelInfer answers ModelInfer: one message in, one out.
func (s *server) modelInfer(stream *call) error {
	began := time.Now()
	answerWith(stream.Context(), s.opts.Compress)
	req := new(kservepb.ModelInferRequest)
	stream.asked = req
	in, err := stream.receive(req)
	if err != nil {
		return err
	}
	defer in.close()
	if err := in.account.Grow(infer.RequestCost); err != nil {
		return statusOf(err)
	}
	f, err := s.enter(stream, req, &in.account)
	if err != nil {
		return statusOf(err)
	}
	defer f.Leave()
	if l, ok := stream.ServerStream.(shortcut.Learner); ok {
		l.Direct(f.Config(), func() bool { return s.direct(f.Config(), deepestEnsemble) })
	}
	if err := request.GRPC.AnswersOnce(f.Config()); err != nil {
		return statusOf(err)
	}
	if err := f.read(stream.Context()); err != nil {
		return statusOf(err)
	}
	own := s.ownTrace(stream)
	f.Trace, f.Trial = own, s.isTrial(stream)
	f.Sample(s.opts.Tracer, began, stream)
	defer f.Sampled.Done()
	err = f.Once(stream.Context(), f)
	stream.ran = err != nil && f.Failed(err)
	f.Leave() // before anything is sent: a slow client must not keep a version loaded
	if own != nil {
		s.setTrace(stream, f.Trace)
	}
	if err != nil {
		f.encoded.free()
		return statusOf(err)
	}
	f.Sampled.Mark("GRPC_SEND_START")
	err = stream.SendMsg(f.encoded)
	f.Sampled.Mark("GRPC_SEND_END")
	return err
}

// enter finds a request's model, which Triton checks first. account counts the request. The caller must leave the
// request.
func (s *server) enter(stream *call, req *kservepb.ModelInferRequest, account *budget.Account) (*inference, error) {
	version, err := kserve.ParseVersion(req.GetModelVersion())
	if err != nil {
		return nil, err
	}
	f := &inference{
		s: s, stream: stream, message: req,
		Assembler: request.New(request.GRPC, req.GetModelName(), version, &s.opts.Options, account),
	}
	f.ID = req.GetId()
	if err := f.Enter(s.svc); err != nil {
		return nil, err
	}
	return f, nil
}

// Get implements tracing.Headers.
func (c *call) Get(name string) string { return incoming(c, name) }

// Encode implements request.Encoder: the answer is sent when the model is free again.
func (f *inference) Encode(r *infer.Response) (err error) {
	if f.marked {
		f.encoded, err = f.stream.prepare(f.streamed(r, true), f.s.opts.Memory)
	} else if p, ok := f.plainly(r); ok {
		f.encoded, err = f.stream.encode(p.size(), f.s.opts.Memory, func(b []byte) ([]byte, error) { return p.appendTo(b), nil })
	} else {
		f.encoded, err = f.stream.prepare(f.response(r), f.s.opts.Memory)
	}
	return err
}

// incoming returns the first value of a key in a call's metadata.
func incoming(stream grpc.ServerStream, key string) string {
	if values := metadata.ValueFromIncomingContext(stream.Context(), key); len(values) > 0 {
		return values[0]
	}
	return ""
}
