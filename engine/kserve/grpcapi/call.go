package grpcapi

import (
	"context"
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"conch/engine/kserve/grpcapi/arrival"
)

// call is one call of a method, with the count of its incoming messages.
type call struct {
	grpc.ServerStream
	arrived *arrival.Call
	asked   proto.Message // the message of a unary call
	ran     bool          // the request reached its model, and failed there
}

// accept begins a call, unless it was ended while it came in. The handler ends it.
func accept(stream grpc.ServerStream, unary bool) (*call, error) {
	c := &call{ServerStream: stream, arrived: arrival.Of(stream.Context())}
	if err := c.arrived.Begin(stream.Context(), unary); err != nil {
		c.end()
		return nil, statusOf(err)
	}
	return c, nil
}

func (c *call) end() { c.arrived.End() }

// SendMsg implements grpc.ServerStream.
func (c *call) SendMsg(m any) error {
	c.arrived.Answers()
	return c.ServerStream.SendMsg(m)
}

// receive reads the next message. Its memory is counted, and its tensors are valid, until the caller closes it. It is
// never nil, and holds nothing after an error.
func (c *call) receive(m proto.Message) (*received, error) {
	in := &received{message: m, call: c.arrived}
	c.arrived.Await()
	err := c.RecvMsg(in)
	if ended := c.arrived.Got(); ended != nil {
		err = statusOf(ended)
	} else if err == nil {
		err = statusOf(in.err)
	}
	if err != nil {
		in.close()
	}
	return in, err
}

// served turns a unary method into a stream. The bytes on the wire are the same. As a stream, incoming messages can
// be counted, and a refusal can have our own message.
func served(m grpc.MethodDesc) grpc.StreamDesc {
	return unary(m.MethodName, func(s *server, c *call) error {
		answerWith(c.Context(), nil)
		in := new(received)
		defer func() { in.close() }()
		reply, err := m.Handler(s, c.Context(), func(v any) error {
			var err error
			c.asked = v.(proto.Message)
			in, err = c.receive(c.asked)
			return err
		}, nil)
		if err != nil {
			return err
		}
		return c.SendMsg(reply)
	})
}

func unary(name string, serve func(*server, *call) error) grpc.StreamDesc {
	return grpc.StreamDesc{StreamName: name, Handler: func(srv any, stream grpc.ServerStream) error {
		s := srv.(*server)
		// Interceptors for unary calls are not called for such a stream.
		if err := (guard{s.opts.Restricted}).check(stream.Context(), name); err != nil {
			return s.refuse(stream, name, err)
		}
		c, err := accept(stream, true)
		if err != nil {
			return s.refuse(stream, name, err)
		}
		defer c.end()
		if err := serve(s, c); err != nil {
			if errors.Is(c.Context().Err(), context.DeadlineExceeded) { // the list of refusals says so too
				err = statusOf(context.DeadlineExceeded)
			}
			keep(s.opts.Refusals, stream.Context(), asked{name, c.asked, c.ran}, err)
			return err
		}
		return nil
	}}
}
