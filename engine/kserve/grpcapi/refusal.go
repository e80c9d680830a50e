package grpcapi

import (
	"context"
	"strings"
	"unicode"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/refusals"
)

// asked is what a call asks for.
type asked struct {
	method  string
	message proto.Message // nil when none came
	ran     bool          // the request reached its model
}

// refuse keeps a call that ends with an error before its message has come among the refusals, and returns the error.
func (s *server) refuse(stream grpc.ServerStream, method string, err error) error {
	keep(s.opts.Refusals, stream.Context(), asked{method: method}, err)
	return err
}

// keep adds a call to the refusals. A client that has left, or whose own time is over, was not refused.
func keep(to *refusals.Log, ctx context.Context, what asked, err error) {
	if to == nil || err == nil {
		return
	}
	answer := status.Convert(err)
	if left := answer.Code() == codes.Canceled || answer.Code() == codes.DeadlineExceeded; left && ctx.Err() != nil {
		return
	}
	add(to, ctx, what, codeName(answer.Code()), answer.Message())
}

// inStream is the status of a request whose error is a message of its stream.
const inStream = "error in the stream"

func add(to *refusals.Log, ctx context.Context, what asked, code, reason string) {
	r := refusals.Refusal{Port: "gRPC", Method: what.method, Status: code, Reason: reason, Ran: what.ran}
	r.Model, r.Version, r.ID = askedFor(what.message)
	if p, ok := peer.FromContext(ctx); ok {
		r.Client = p.Addr.String()
	}
	to.Add(r)
}

// askedFor returns what a message asks for, "" where it says nothing.
func askedFor(m proto.Message) (model, version, id string) {
	switch m := m.(type) {
	case *kservepb.ModelInferRequest:
		return m.GetModelName(), m.GetModelVersion(), m.GetId()
	case interface{ GetModelName() string }: // load, unload, trace settings
		return m.GetModelName(), "", ""
	case interface { // metadata, config, statistics, readiness
		GetName() string
		GetVersion() string
	}:
		return m.GetName(), m.GetVersion(), ""
	}
	return "", "", ""
}

// codeName returns a code as clients write it: INVALID_ARGUMENT.
func codeName(c codes.Code) string {
	if c == codes.Canceled {
		return "CANCELLED"
	}
	var b strings.Builder
	for i, r := range c.String() {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// unknown answers calls of methods that the server does not have, with gRPC's words.
func unknown(to *refusals.Log) grpc.StreamHandler {
	return func(_ any, stream grpc.ServerStream) error {
		full, _ := grpc.MethodFromServerStream(stream)
		service, method, _ := strings.Cut(strings.TrimPrefix(full, "/"), "/")
		err := status.Errorf(codes.Unimplemented, "unknown service %v", service)
		if service == kservepb.GRPCInferenceService_ServiceDesc.ServiceName {
			err = status.Errorf(codes.Unimplemented, "unknown method %v for service %v", method, service)
		}
		keep(to, stream.Context(), asked{method: full}, err)
		return err
	}
}
