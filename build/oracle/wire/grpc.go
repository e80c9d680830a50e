package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"google.golang.org/grpc"
	_ "google.golang.org/grpc/health/grpc_health_v1" // the messages of grpc.health.v1.Health
	"google.golang.org/grpc/metadata"
	_ "google.golang.org/grpc/reflection/grpc_reflection_v1" // the messages of server reflection
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"conch/build/golden/exchange"
	_ "conch/engine/kserve/kservepb" // the messages of Triton's service
)

// service is whose calls a case writes by their names alone.
const service = "inference.GRPCInferenceService"

// overGRPC makes a call. The request has the call's name in the first line ("ModelInfer", or with the service before it),
// with the word before it that says how the client uses TLS (tls.go), then metadata, an empty line, and each message as a line of JSON. The answer has each message as a line of JSON, and
// the status behind them unless it is OK.
func overGRPC(ctx context.Context, server Server, request string) (string, error) {
	name, lines, body := exchange.Head(request)
	name, secured, err := server.secured(name)
	if err != nil {
		return "", err
	}
	call, method, err := find(name)
	if err != nil {
		return "", err
	}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, ":")
		if key == timeout {
			return beyondDeadline(ctx, server.GRPC, call, strings.TrimSpace(value), method, body)
		}
		ctx = metadata.AppendToOutgoingContext(ctx, key, strings.TrimSpace(value))
	}
	conn, err := grpc.NewClient("passthrough:///"+server.GRPC, grpc.WithTransportCredentials(secured))
	if err != nil {
		return "", fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close() }()
	described := &grpc.StreamDesc{ServerStreams: true, ClientStreams: method.IsStreamingClient()}
	stream, err := conn.NewStream(ctx, described, call)
	if err != nil {
		return refusal(err), nil
	}
	if err := sendAll(stream, method, body); err != nil {
		return "", err
	}
	return receiveAll(stream, method)
}

// find gives the path of a call, and what its messages are.
func find(name string) (string, protoreflect.MethodDescriptor, error) {
	of, call, ok := strings.Cut(name, "/")
	if !ok {
		of, call = service, name
	}
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(of))
	if err != nil {
		return "", nil, fmt.Errorf("find the service %s: %w", of, err)
	}
	described, ok := found.(protoreflect.ServiceDescriptor)
	if !ok {
		return "", nil, fmt.Errorf("%s is no service", of)
	}
	method := described.Methods().ByName(protoreflect.Name(call))
	if method == nil {
		return "", nil, fmt.Errorf("%s has no call %s", of, call)
	}
	return "/" + of + "/" + call, method, nil
}

// sendAll sends each line as a message.
func sendAll(stream grpc.ClientStream, method protoreflect.MethodDescriptor, body string) error {
	for line := range strings.Lines(body) {
		message, err := blank(method.Input())
		if err != nil {
			return err
		}
		if err := protojson.Unmarshal([]byte(line), message); err != nil {
			return fmt.Errorf("read the message %s: %w", line, err)
		}
		if err := stream.SendMsg(message); err != nil && !errors.Is(err, io.EOF) { // the status tells why it ended
			return fmt.Errorf("send a message: %w", err)
		}
	}
	return stream.CloseSend()
}

// receiveAll writes all answers.
func receiveAll(stream grpc.ClientStream, method protoreflect.MethodDescriptor) (string, error) {
	var out bytes.Buffer
	for {
		message, err := blank(method.Output())
		if err != nil {
			return "", err
		}
		err = stream.RecvMsg(message)
		if errors.Is(err, io.EOF) && out.Len() == 0 {
			return "ends without a message\n", nil
		}
		if errors.Is(err, io.EOF) {
			return out.String(), nil
		}
		if err != nil {
			return out.String() + refusal(err), nil
		}
		text, err := protojson.Marshal(message)
		if err == nil {
			err = json.Compact(&out, text) // protojson leaves blanks in places that change
		}
		if err != nil {
			return "", fmt.Errorf("write an answer: %w", err)
		}
		out.WriteByte('\n')
	}
}

func blank(of protoreflect.MessageDescriptor) (proto.Message, error) {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(of.FullName())
	if err != nil {
		return nil, fmt.Errorf("find the message %s: %w", of.FullName(), err)
	}
	return kind.New().Interface(), nil
}

func refusal(err error) string {
	told := status.Convert(err)
	for _, broken := range []string{"connection error", "error reading from server", "write tcp"} {
		if strings.Contains(told.Message(), broken) {
			return noAnswer
		}
	}
	return fmt.Sprintf("%s: %s\n", told.Code(), exchange.Escape([]byte(told.Message())))
}
