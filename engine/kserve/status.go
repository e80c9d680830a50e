package kserve

import (
	"net/http"

	"google.golang.org/grpc/codes"

	"conch/engine/infer"
)

// statuses are the HTTP and gRPC statuses of Triton's codes (docs/triton/http.md, "Status codes";
// docs/triton/grpc.md, "Status codes").
var statuses = [...]struct {
	http int
	grpc codes.Code
}{
	infer.Unknown:       {http.StatusBadRequest, codes.Unknown},
	infer.Internal:      {http.StatusInternalServerError, codes.Internal},
	infer.NotFound:      {http.StatusNotFound, codes.NotFound},
	infer.InvalidArg:    {http.StatusBadRequest, codes.InvalidArgument},
	infer.Unavailable:   {http.StatusServiceUnavailable, codes.Unavailable},
	infer.Unsupported:   {http.StatusNotImplemented, codes.Unimplemented},
	infer.AlreadyExists: {http.StatusBadRequest, codes.AlreadyExists},
	infer.Cancelled:     {http.StatusBadRequest, codes.Canceled},
}

// HTTPStatus returns the status of an HTTP response that reports the error.
func HTTPStatus(err error) int { return statuses[infer.CodeOf(err)].http }

// GRPCCode returns the code of a gRPC status that reports the error.
func GRPCCode(err error) codes.Code { return statuses[infer.CodeOf(err)].grpc }
