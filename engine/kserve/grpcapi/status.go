package grpcapi

import (
	"context"
	"errors"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine/infer"
	"conch/engine/kserve"
)

// statusOf returns the gRPC status of an error; nil stays nil.
func statusOf(err error) error {
	if err == nil {
		return nil
	}
	var known *infer.Error
	if errors.As(err, &known) {
		return status.Error(kserve.GRPCCode(known), shortened(known.Message))
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return status.Error(codes.DeadlineExceeded, "Deadline Exceeded") // Triton's words
	}
	if errors.Is(err, context.Canceled) {
		return status.FromContextError(err).Err()
	}
	return status.Error(codes.Internal, shortened(err.Error()))
}

// longest is the maximum length of an error text. The text is sent in a header, and clients accept only some
// kilobytes. An error that quotes a name or a shape of a request has no other bound.
const longest = 4096

func shortened(text string) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "…"
}

// answer returns a reply, or the error as a status.
func answer[T any](reply *T, err error) (*T, error) {
	if err != nil {
		return nil, statusOf(err)
	}
	return reply, nil
}
