package grpcapi

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine/infer"
)

// statusCodes translates Triton's codes (B5).
var statusCodes = map[infer.Code]codes.Code{
	infer.Unknown:       codes.Unknown,
	infer.Internal:      codes.Internal,
	infer.NotFound:      codes.NotFound,
	infer.InvalidArg:    codes.InvalidArgument,
	infer.Unavailable:   codes.Unavailable,
	infer.Unsupported:   codes.Unimplemented,
	infer.AlreadyExists: codes.AlreadyExists,
	infer.Cancelled:     codes.Canceled,
}

// statusOf is an error as a client sees it; nil stays nil.
func statusOf(err error) error {
	if err == nil {
		return nil
	}
	var known *infer.Error
	if errors.As(err, &known) {
		return status.Error(statusCodes[known.Code], known.Message)
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return status.FromContextError(err).Err()
	}
	return status.Error(codes.Internal, err.Error())
}

// answer gives a reply, or the error as a status.
func answer[T any](reply *T, err error) (*T, error) {
	if err != nil {
		return nil, statusOf(err)
	}
	return reply, nil
}
