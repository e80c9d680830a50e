package grpcapi

import "google.golang.org/grpc/encoding"

// NewCodec is the codec, for clients in this process: what is deflated, it inflates.
func NewCodec() encoding.CodecV2 { return newCodec() }
