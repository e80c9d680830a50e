package grpcapi

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine/infer"
)

// overdue is a call whose deadline is over.
type overdue struct {
	grpc.ServerStream
	ctx context.Context
}

func (o overdue) Context() context.Context { return o.ctx }

// A request that was taken out of its queue at its deadline was not cancelled by its client.
func TestErrorsAtTheDeadline(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	desc := unary(inferMethod, func(*server, *call) error { return statusOf(infer.Errorf(infer.Cancelled, "request was cancelled")) })
	if err := desc.Handler(new(server), overdue{ctx: ctx}); status.Code(err) != codes.DeadlineExceeded || status.Convert(err).Message() != "Deadline Exceeded" {
		t.Error(err)
	}
}
