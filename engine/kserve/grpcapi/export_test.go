package grpcapi

import "google.golang.org/grpc/encoding"

// NewCodec returns the codec for clients in this process. It inflates answers of any size.
func NewCodec() encoding.CodecV2 {
	c := newCodec()
	c.uncounted = 1 << 40
	return c
}
